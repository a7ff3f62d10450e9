// SPDX-License-Identifier: Apache-2.0

#include "CWinnowHarmless.h"

#include <stdbool.h>
#include <string.h>

#include "lanes.h"

#pragma GCC visibility push(protected)

/// Eight bytes without suspicion.
#define HARMLESS_WORD 0x4141414141414141u

/// Copies a text of fewer than sixteen bytes: its beginning and its end, which may overlap.
__attribute__((always_inline)) static inline size_t
copy_short(uint8_t *to, const uint8_t *from, size_t count, cwinnow_harmless_kind kind) {
    if (count >= 8) {
        uint64_t first = cwinnow_lanes_copy_word(to, from);
        uint64_t last = cwinnow_lanes_copy_word(to + count - 8, from + count - 8);
        unsigned harmless = cwinnow_lanes_count(cwinnow_lanes_of(first, last), kind);
        return harmless < 8 ? harmless : harmless + count - 16;
    }
    if (count >= 4) {
        uint64_t first = cwinnow_lanes_copy_half(to, from);
        uint64_t last = cwinnow_lanes_copy_half(to + count - 4, from + count - 4);
        cwinnow_lanes bytes = cwinnow_lanes_of(first | last << 32, HARMLESS_WORD);
        unsigned harmless = cwinnow_lanes_count(bytes, kind);
        if (harmless >= 8) {
            return count;
        }
        return harmless < 4 ? harmless : harmless + count - 8;
    }
    size_t index = 0;
    while (index < count && cwinnow_lanes_allow(from[index], kind)) {
        to[index] = from[index];
        index += 1;
    }
    return index;
}

__attribute__((always_inline)) static inline size_t
copy(uint8_t *to, const uint8_t *from, size_t count, cwinnow_harmless_kind kind) {
    if (count < 16) {
        return copy_short(to, from, count, kind);
    }
    size_t last = count - 16;
    size_t offset = 0;
    while (true) {
        cwinnow_lanes bytes = cwinnow_lanes_copy(to + offset, from + offset);
        unsigned harmless = cwinnow_lanes_count(bytes, kind);
        if (harmless < 16) {
            return offset + harmless;
        }
        if (offset == last) {
            return count;
        }
        // The last sixteen begin where all bytes are harmless that were there before.
        offset = last - offset < 16 ? last : offset + 16;
    }
}

size_t cwinnow_harmless_copy_line(uint8_t *to, const uint8_t *from, size_t count) {
    return copy(to, from, count, cwinnow_harmless_line);
}

size_t cwinnow_harmless_copy_quotes(uint8_t *to, const uint8_t *from, size_t count) {
    return copy(to, from, count, cwinnow_harmless_quotes);
}

size_t cwinnow_harmless_copy_name(uint8_t *to, const uint8_t *from, size_t count) {
    return copy(to, from, count, cwinnow_harmless_name);
}
