// SPDX-License-Identifier: Apache-2.0

#include "name.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#pragma GCC visibility push(protected)

/// The bytes of a character by its first byte; 0 for a byte that begins none.
static size_t size_by_first(uint8_t first) {
    return first < 0x80 ? 1
           : first < 0xc2 ? 0
           : first < 0xe0 ? 2
           : first < 0xf0 ? 3
           : first < 0xf5 ? 4
                          : 0;
}

/// Whether a second byte makes the character too long for its value, a surrogate, or too large.
/// Source: The Unicode Standard, table 3-7.
static bool is_second_wrong(uint8_t first, uint8_t second) {
    return (first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0) ||
           (first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90);
}

/// The bytes of the character in front, or 0 where there is none.
static size_t character_size(const uint8_t *bytes, size_t count) {
    size_t size = size_by_first(bytes[0]);
    if (size > count || (size > 1 && is_second_wrong(bytes[0], bytes[1]))) {
        return 0;
    }
    for (size_t index = 1; index < size; index++) {
        if ((bytes[index] & 0xc0) != 0x80) {
            return 0;
        }
    }
    return size;
}

/// Whether a character is one of C0, DEL or C1.
static bool is_control(const uint8_t *bytes, size_t size) {
    return size == 1 ? bytes[0] < 0x20 || bytes[0] == 0x7f
                     : size == 2 && bytes[0] == 0xc2 && bytes[1] < 0xa0;
}

void cwinnow_name_write(
    char name[CWINNOW_ORIGIN_NAME_SIZE], const char *text, size_t byte_count) {
    const uint8_t *bytes = (const uint8_t *)text;
    size_t written = 0;
    for (size_t at = 0; at < byte_count;) {
        size_t size = character_size(bytes + at, byte_count - at);
        bool is_kept = size > 0 && !is_control(bytes + at, size);
        size_t needed = is_kept ? size : 1;
        if (written + needed >= CWINNOW_ORIGIN_NAME_SIZE) {
            break;
        }
        memcpy(name + written, is_kept ? (const void *)(bytes + at) : "?", needed);
        written += needed;
        at += size > 0 ? size : 1;
    }
    memset(name + written, 0, CWINNOW_ORIGIN_NAME_SIZE - written);
}
