// SPDX-License-Identifier: Apache-2.0

/// What is known of each return address that was met.

#ifndef CWINNOW_SITES_H
#define CWINNOW_SITES_H

#include <stdint.h>

/// What a return address says: how to step over its frame, or from CWINNOW_SITE_ORIGIN on the number
/// of an origin. 0 stands for nothing that is known.
#define CWINNOW_SITE_FRAMED 1u
#define CWINNOW_SITE_FRAMELESS 2u
#define CWINNOW_SITE_ORIGIN 3u

/// Returns what a return address says; an address of the function that was called there is given.
/// Without a lock where the return address was met before, unless another took its place since. Changes
/// errno. MT-Safe, AS-Unsafe lock heap.
uint32_t cwinnow_site_of(uintptr_t return_address, uintptr_t callee);

#endif
