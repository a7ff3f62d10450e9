// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "CWinnowBytes.h"

#include <stddef.h>
#include <string.h>

#pragma GCC visibility push(protected)

int64_t cwinnow_bytes_find(
    const uint8_t *bytes, int64_t count, const uint8_t *part, int64_t part_count)
{
    // The pointers to nothing may be null, which memmem does not take.
    if (part_count == 0) {
        return 0;
    }
    if (part_count > count) {
        return -1;
    }
    const uint8_t *found = memmem(bytes, (size_t)count, part, (size_t)part_count);
    return found == NULL ? -1 : found - bytes;
}

int64_t cwinnow_bytes_find_last(const uint8_t *bytes, int64_t count, uint8_t byte)
{
    if (count == 0) {
        return -1;
    }
    const uint8_t *found = memrchr(bytes, byte, (size_t)count);
    return found == NULL ? -1 : found - bytes;
}
