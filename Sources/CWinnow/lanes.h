// SPDX-License-Identifier: Apache-2.0

/// Which of sixteen bytes are harmless: what of CWinnowHarmless.h differs by processor.

#ifndef CWINNOW_LANES_H
#define CWINNOW_LANES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/// What is harmless in a text, by the functions of CWinnowHarmless.h.
typedef enum cwinnow_harmless_kind {
    cwinnow_harmless_line,
    cwinnow_harmless_quotes,
    cwinnow_harmless_name,
} cwinnow_harmless_kind;

/// Returns the least byte that is harmless.
static inline uint8_t cwinnow_lanes_least(cwinnow_harmless_kind kind) {
    return kind == cwinnow_harmless_name ? 0x21 : 0x20;
}

/// Returns whether one byte is harmless.
static inline bool cwinnow_lanes_allow(uint8_t byte, cwinnow_harmless_kind kind) {
    if (kind != cwinnow_harmless_line && (byte == '"' || byte == '\\')) {
        return false;
    }
    if (kind == cwinnow_harmless_name && byte == '=') {
        return false;
    }
    return byte >= cwinnow_lanes_least(kind) && byte < 0x7F;
}

#define CWINNOW_IS_LITTLE_ENDIAN (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)

/// Copies eight bytes; returns them, the first of them lowest.
static inline uint64_t cwinnow_lanes_copy_word(uint8_t *to, const uint8_t *from) {
    uint64_t word;
    memcpy(&word, from, sizeof word);
    memcpy(to, &word, sizeof word);
    return CWINNOW_IS_LITTLE_ENDIAN ? word : __builtin_bswap64(word);
}

/// Copies four bytes; returns them, the first of them lowest.
static inline uint32_t cwinnow_lanes_copy_half(uint8_t *to, const uint8_t *from) {
    uint32_t word;
    memcpy(&word, from, sizeof word);
    memcpy(to, &word, sizeof word);
    return CWINNOW_IS_LITTLE_ENDIAN ? word : __builtin_bswap32(word);
}

#if defined(__SSE2__)

/// Sixteen bytes.
typedef __m128i cwinnow_lanes;

/// Makes them of two words, the first byte of each lowest.
static inline cwinnow_lanes cwinnow_lanes_of(uint64_t first, uint64_t second) {
    return _mm_set_epi64x((long long)second, (long long)first);
}

/// Copies them, and returns them.
static inline cwinnow_lanes cwinnow_lanes_copy(uint8_t *to, const uint8_t *from) {
    cwinnow_lanes bytes;
    memcpy(&bytes, from, sizeof bytes);
    memcpy(to, &bytes, sizeof bytes);
    return bytes;
}

/// Returns how many of them precede the first that is not harmless.
__attribute__((always_inline)) static inline unsigned
cwinnow_lanes_count(cwinnow_lanes bytes, cwinnow_harmless_kind kind) {
    // Bytes from 0x80 on are negative, and adding one makes 0x7F so.
    __m128i next = _mm_add_epi8(bytes, _mm_set1_epi8(1));
    __m128i good = _mm_cmpgt_epi8(next, _mm_set1_epi8((char)cwinnow_lanes_least(kind)));
    if (kind != cwinnow_harmless_line) {
        __m128i quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
        __m128i backslash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
        good = _mm_andnot_si128(_mm_or_si128(quote, backslash), good);
    }
    if (kind == cwinnow_harmless_name) {
        good = _mm_andnot_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('=')), good);
    }
    // The bits above the sixteen are set when turned round: they end the count.
    return (unsigned)__builtin_ctz(~(unsigned)_mm_movemask_epi8(good));
}

#else

typedef struct cwinnow_lanes {
    uint64_t first, second;
} cwinnow_lanes;

static inline cwinnow_lanes cwinnow_lanes_of(uint64_t first, uint64_t second) {
    return (cwinnow_lanes){first, second};
}

static inline cwinnow_lanes cwinnow_lanes_copy(uint8_t *to, const uint8_t *from) {
    uint64_t first = cwinnow_lanes_copy_word(to, from);
    return (cwinnow_lanes){first, cwinnow_lanes_copy_word(to + 8, from + 8)};
}

/// Marks the zeros among eight bytes by their highest bit; above the lowest mark, others may be
/// marked falsely.
static inline uint64_t cwinnow_lanes_zeros(uint64_t word) {
    return (word - 0x0101010101010101u) & ~word;
}

/// Marks the bytes of eight that are not harmless, in the same way.
static inline uint64_t cwinnow_lanes_suspects(uint64_t word, cwinnow_harmless_kind kind) {
    const uint64_t ones = 0x0101010101010101u;
    // A byte from 0x80 on has the bit, 0x7F gets it by adding one, and what is below the least
    // harmless one borrows it.
    uint64_t marks = word | (word + ones) | ((word - cwinnow_lanes_least(kind) * ones) & ~word);
    if (kind != cwinnow_harmless_line) {
        marks |= cwinnow_lanes_zeros(word ^ ('"' * ones));
        marks |= cwinnow_lanes_zeros(word ^ ('\\' * ones));
    }
    if (kind == cwinnow_harmless_name) {
        marks |= cwinnow_lanes_zeros(word ^ ('=' * ones));
    }
    return marks & (0x80 * ones);
}

__attribute__((always_inline)) static inline unsigned
cwinnow_lanes_count(cwinnow_lanes bytes, cwinnow_harmless_kind kind) {
    uint64_t marks = cwinnow_lanes_suspects(bytes.first, kind);
    if (marks != 0) {
        return (unsigned)__builtin_ctzll(marks) / 8;
    }
    marks = cwinnow_lanes_suspects(bytes.second, kind);
    return marks == 0 ? 16 : 8 + (unsigned)__builtin_ctzll(marks) / 8;
}

#endif

#endif
