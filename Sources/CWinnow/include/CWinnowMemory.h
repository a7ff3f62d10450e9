// SPDX-License-Identifier: Apache-2.0

/// Memory straight from the kernel, in pages: nobody waits for the locks of malloc(3) to get it or to give it back, as
/// a thread that a fault has stopped may hold one of them.

#ifndef CWINNOW_MEMORY_H
#define CWINNOW_MEMORY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Returns so many bytes, which are zero, and of which only those take memory whose pages are touched; NULL where there
/// are none. MT-Safe, AS-Safe.
void *_Nullable cwinnow_memory_make(uint64_t byte_count);
/// Gives back what `cwinnow_memory_make` has returned. MT-Safe, AS-Safe.
void cwinnow_memory_free(void *_Nonnull memory, uint64_t byte_count);
/// Gives back the pages of a part, which begins at a page: it is zero when it is touched again. MT-Safe, AS-Safe.
void cwinnow_memory_discard(void *_Nonnull part, uint64_t byte_count);

#ifdef __cplusplus
}
#endif

#endif
