// SPDX-License-Identifier: Apache-2.0

/// The list of the loader.

#ifndef CWINNOW_LOADED_H
#define CWINNOW_LOADED_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/// Makes what is made once, before a hook is in place. AS-Unsafe lock.
void cwinnow_loaded_prepare(void);

/// Finds the object that an address is in, which lives as long as its code runs. MT-Safe, AS-Unsafe
/// lock.
bool cwinnow_loaded_find(uintptr_t address, struct dl_phdr_info *ret_object);

/// Waits for those that hold a lock of the loader's, in bounded time: the child of a fork would find it
/// held for good.
void cwinnow_loaded_before_fork(void);
/// Ends that.
void cwinnow_loaded_after_fork(bool is_child);

#endif
