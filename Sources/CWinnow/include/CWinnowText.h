// SPDX-License-Identifier: Apache-2.0

/// The two words of a Swift `String`.
///
/// Source: swift/stdlib/public/core/StringObject.swift, "Bit layout", and SmallString.swift, for 64-bit
/// platforms. `TextLayout` in WinnowCore looks whether they are so before any is relied upon.

#ifndef CWINNOW_TEXT_H
#define CWINNOW_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cwinnow_text {
    /// Of a text that lies elsewhere the count and its flags, of a small one the first eight bytes.
    uint64_t low;
    /// The discriminator in the upper byte; below it the address less 32, or the other bytes.
    uint64_t high;
} cwinnow_text;

/// Returns whether the bytes of the text lie in its words. MT-Safe, AS-Safe.
__attribute__((always_inline)) static inline bool cwinnow_text_is_small(cwinnow_text text) {
    return (text.high >> 61 & 1) != 0;
}

/// Returns the number of bytes of a small text, at most 15. MT-Safe, AS-Safe.
__attribute__((always_inline)) static inline size_t cwinnow_text_small_count(cwinnow_text text) {
    return (size_t)(text.high >> 56 & 15);
}

/// Returns the first bytes of a small text. MT-Safe, AS-Safe.
__attribute__((always_inline)) static inline uint64_t cwinnow_text_small_low(cwinnow_text text) {
    return text.low;
}

/// Returns the other bytes of a small text. MT-Safe, AS-Safe.
__attribute__((always_inline)) static inline uint64_t cwinnow_text_small_high(cwinnow_text text) {
    return text.high & 0x00FFFFFFFFFFFFFFu;
}

/// Returns whether a text that is not small lies in one piece behind its object: it is not foreign,
/// bit 60 of the upper word, and tail-allocated, bit 60 of the lower one. MT-Safe, AS-Safe.
__attribute__((always_inline)) static inline bool cwinnow_text_is_native(cwinnow_text text) {
    return (text.high >> 60 & 1) == 0 && (text.low >> 60 & 1) != 0;
}

/// Returns the number of bytes of a native text. MT-Safe, AS-Safe.
__attribute__((always_inline)) static inline size_t cwinnow_text_count(cwinnow_text text) {
    return (size_t)(text.low & 0x0000FFFFFFFFFFFFu);
}

/// Returns the bytes of a native text: of the upper bits it has 63 at most, which says that it is never
/// freed. MT-Safe, AS-Safe.
__attribute__((always_inline)) static inline const uint8_t *_Nullable
cwinnow_text_bytes(cwinnow_text text) {
    return (const uint8_t *)(uintptr_t)((text.high & 0x7FFFFFFFFFFFFFFFu) + 32);
}

#ifdef __cplusplus
}
#endif

#endif
