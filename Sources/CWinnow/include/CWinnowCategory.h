// SPDX-License-Identifier: Apache-2.0

/// The cell of a category, which lives as long as the program.
///
/// Swift has no constant-initialized global that its clients may read without a call; the test of
/// a level must be one load.

#ifndef CWINNOW_CATEGORY_H
#define CWINNOW_CATEGORY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The bit of a mask that says that no configuration has set the mask yet.
#define CWINNOW_MASK_UNRESOLVED 0x100u

/// The mask before any configuration: every level, and the mark that none was read yet.
#define CWINNOW_MASK_INITIAL (0xFFu | CWINNOW_MASK_UNRESOLVED)

typedef struct cwinnow_category {
    /// Bit n: whether records of level n are accepted. Read and written with relaxed order.
    uint32_t mask;
    uint32_t name_length;
    /// The name in UTF-8, not terminated.
    const uint8_t *_Nonnull name;
    /// What stands for it in a line, `[name] `, where that is harmless as it is and short enough to be
    /// copied without a call, and nothing for the empty name; else NULL.
    const uint8_t *_Nullable column;
    size_t column_length;
} cwinnow_category;

/// The category of the static methods of `Log`; its name is empty.
extern cwinnow_category cwinnow_default_category;

/// Returns that category. MT-Safe, AS-Safe.
__attribute__((always_inline)) static inline cwinnow_category *_Nonnull
cwinnow_category_default(void) {
    return &cwinnow_default_category;
}

/// Returns the mask of a category. MT-Safe, AS-Safe.
__attribute__((always_inline)) static inline uint32_t
cwinnow_category_mask(const cwinnow_category *_Nonnull category) {
    return __atomic_load_n(&category->mask, __ATOMIC_RELAXED);
}

/// Sets the mask of a category. MT-Safe, AS-Safe.
static inline void
cwinnow_category_set_mask(cwinnow_category *_Nonnull category, uint32_t mask) {
    __atomic_store_n(&category->mask, mask, __ATOMIC_RELAXED);
}

/// Makes a category with a copy of the name and the initial mask; NULL where memory has run out.
/// It is never freed. MT-Safe, AS-Unsafe heap.
cwinnow_category *_Nullable cwinnow_category_make(const uint8_t *_Nullable name, size_t length);

#ifdef __cplusplus
}
#endif

#endif
