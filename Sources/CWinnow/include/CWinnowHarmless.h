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

#include <stddef.h>
#include <stdint.h>

/// Takes all of it for harmless.
size_t cwinnow_harmless_copy_line(uint8_t *_Nonnull to, const uint8_t *_Nonnull from, size_t count);
/// Leaves `"` and `\` out.
size_t
cwinnow_harmless_copy_quotes(uint8_t *_Nonnull to, const uint8_t *_Nonnull from, size_t count);
/// Leaves the space, `"`, `\` and `=` out.
size_t cwinnow_harmless_copy_name(uint8_t *_Nonnull to, const uint8_t *_Nonnull from, size_t count);

#endif
