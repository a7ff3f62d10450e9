// SPDX-License-Identifier: Apache-2.0

/// The walk over the frames of a thread, from the function that was called to the code whose call it
/// is.

#ifndef CWINNOW_FRAMES_H
#define CWINNOW_FRAMES_H

#include <stdint.h>

#include "trail.h"

/// Returns the number of the origin that the frames above a function's lead to, of which an address
/// is given; and the way there, empty where it cannot be taken again. Reads the stack of the thread,
/// its alternate signal stack, or of another stack what is mapped. MT-Safe, AS-Unsafe lock heap.
uint32_t cwinnow_frames_origin(uintptr_t frame, uintptr_t callee, cwinnow_trail *ret_trail);

/// Where the stack of the thread ends, at most some kilobytes below it: memory that no other thread
/// unmaps. MT-Safe, AS-Safe.
uintptr_t cwinnow_thread_stack_end(void);

#endif
