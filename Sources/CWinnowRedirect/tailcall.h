// SPDX-License-Identifier: Apache-2.0

/// The function that a call names, which need not be the one that is seen on the stack.
///
/// A function that ends with a call may jump to it and leave no frame: behind `noisy_puts`, which
/// jumps to `puts`, the return address is of the caller of `noisy_puts`. But the call in front of it
/// still names `noisy_puts`. Calls through a pointer name nothing.

#ifndef CWINNOW_TAIL_CALL_H
#define CWINNOW_TAIL_CALL_H

#include <stdbool.h>
#include <stdint.h>

/// Finds the address that the call in front of a return address goes to, through the stubs of the
/// linker. Returns false where it cannot be seen. MT-Safe, AS-Unsafe lock.
bool cwinnow_call_target(uintptr_t return_address, uintptr_t *ret_target);

#endif
