// SPDX-License-Identifier: Apache-2.0

/// Searches in the bytes of a line, which may hold NUL and anything else.
///
/// In C as memmem(3) and memrchr(3) are GNU's, and not among what Swift imports of libc.

#ifndef CWINNOW_BYTES_H
#define CWINNOW_BYTES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Returns where the part begins for the first time in the bytes, 0 for an empty part; -1 where it
/// is not in them. MT-Safe, AS-Safe.
int64_t cwinnow_bytes_find(
    const uint8_t *_Nullable bytes, int64_t count, const uint8_t *_Nullable part, int64_t part_count);

/// Returns where the byte stands for the last time in the bytes; -1 where it is not in them.
/// MT-Safe, AS-Safe.
int64_t cwinnow_bytes_find_last(const uint8_t *_Nullable bytes, int64_t count, uint8_t byte);

#ifdef __cplusplus
}
#endif

#endif
