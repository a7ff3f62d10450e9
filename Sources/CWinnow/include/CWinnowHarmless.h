// SPDX-License-Identifier: Apache-2.0

/// Copies text as far as it is harmless, sixteen bytes at a time.
///
/// Swift's vectors cannot ask which of their lanes meet a condition but by a loop over them, which
/// costs more than the bytes one by one.
///
/// Harmless is printable ASCII, U+0020 to U+007E, without the characters that each function names.
/// Each copies the bytes that the text begins with and that are harmless, and returns how many they
/// are. It may overwrite all `count` bytes of the target, no more, and reads no byte beyond the
/// `count` of the text; the two do not overlap. MT-Safe, AS-Safe.

#ifndef CWINNOW_HARMLESS_H
#define CWINNOW_HARMLESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Takes all of it for harmless.
size_t cwinnow_harmless_copy_line(uint8_t *_Nonnull to, const uint8_t *_Nonnull from, size_t count);
/// Leaves `"` and `\` out.
size_t
cwinnow_harmless_copy_quotes(uint8_t *_Nonnull to, const uint8_t *_Nonnull from, size_t count);
/// Leaves the space, `"`, `\` and `=` out.
size_t cwinnow_harmless_copy_name(uint8_t *_Nonnull to, const uint8_t *_Nonnull from, size_t count);

/// Returns whether none of eight bytes is harmful in a line.
__attribute__((always_inline)) static inline bool cwinnow_harmless_is_line(uint64_t word) {
    const uint64_t ones = 0x0101010101010101u;
    // A byte from 0x80 on has the highest bit, 0x7F gets it by adding one, and what is below the space
    // borrows it.
    return ((word | (word + ones) | ((word - 0x20 * ones) & ~word)) & (0x80 * ones)) == 0;
}

/// Copies a text, one of fewer than sixteen bytes without a call; returns whether all of it is harmless
/// in a line. Else it has written some of the `count` bytes, and no more. MT-Safe, AS-Safe.
__attribute__((always_inline)) static inline bool
cwinnow_harmless_put_line(uint8_t *_Nonnull to, const uint8_t *_Nonnull from, size_t count) {
    if (count >= 16) {
        return cwinnow_harmless_copy_line(to, from, count) == count;
    }
    if (count >= 8) {
        uint64_t first, last;
        memcpy(&first, from, sizeof first);
        memcpy(&last, from + count - 8, sizeof last);
        memcpy(to, &first, sizeof first);
        memcpy(to + count - 8, &last, sizeof last);
        return cwinnow_harmless_is_line(first) && cwinnow_harmless_is_line(last);
    }
    if (count >= 4) {
        uint32_t first, last;
        memcpy(&first, from, sizeof first);
        memcpy(&last, from + count - 4, sizeof last);
        memcpy(to, &first, sizeof first);
        memcpy(to + count - 4, &last, sizeof last);
        return cwinnow_harmless_is_line(first | (uint64_t)last << 32);
    }
    for (size_t index = 0; index < count; index++) {
        to[index] = from[index];
        if (from[index] < 0x20 || from[index] >= 0x7F) {
            return false;
        }
    }
    return true;
}

#ifdef __cplusplus
}
#endif

#endif
