// SPDX-License-Identifier: Apache-2.0

/// The cells of categories, and what else belongs to a category; all live as long as the program.
///
/// Swift has no constant-initialized global that its clients may read without a call; the test of
/// a level must be one load.

#ifndef CWINNOW_CATEGORY_H
#define CWINNOW_CATEGORY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "CWinnowControl.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The bit of a mask that says that the mask does not say it all: no configuration has set it yet, or there is more to
/// look at.
#define CWINNOW_MASK_UNRESOLVED 0x100u

/// The mask before any configuration: every level, and the mark that none was read yet.
#define CWINNOW_MASK_INITIAL (0xFFu | CWINNOW_MASK_UNRESOLVED)

/// The length of a column that there is none of.
#define CWINNOW_NO_COLUMN UINT32_MAX

/// What a category has besides its cell. Nobody else can write to it.
typedef struct cwinnow_category {
    /// The name in UTF-8, not terminated; NULL is the empty name.
    const uint8_t *_Nullable name;
    uint32_t name_length;
    /// The bytes of what stands for it in a line, `[name] `, where that is harmless as it is and short enough to
    /// be copied without a call, and 0 for the empty name; else `CWINNOW_NO_COLUMN`. It begins a byte before the name.
    uint32_t column_length;
} cwinnow_category;

/// A cell that is not in the control page, and its category.
typedef struct cwinnow_cell_of_its_own {
    cwinnow_cell cell;
    cwinnow_category category;
} cwinnow_cell_of_its_own;

/// The categories whose cells lie in the control page, in the order of the cells.
extern cwinnow_category cwinnow_categories[];

/// Returns the cell of the category of the static methods of `Log`, whose name is empty. MT-Safe, AS-Safe.
__attribute__((always_inline)) static inline cwinnow_cell *_Nonnull
cwinnow_category_default(void) {
    return cwinnow_control_cells();
}

/// Returns the category of a cell. MT-Safe, AS-Safe.
__attribute__((always_inline)) static inline const cwinnow_category *_Nonnull
cwinnow_category_of(const cwinnow_cell *_Nonnull cell) {
    // A category is as large as a cell, so that one offset does for both.
    size_t offset = (uintptr_t)cell - (uintptr_t)cwinnow_control_cells();
    return offset < cwinnow_control_cell_capacity * sizeof *cell
        ? (const cwinnow_category *)((uintptr_t)cwinnow_categories + offset)
        : &((const cwinnow_cell_of_its_own *)cell)->category;
}

/// Returns the mask of a cell. MT-Safe, AS-Safe.
__attribute__((always_inline)) static inline uint32_t
cwinnow_category_mask(const cwinnow_cell *_Nonnull cell) {
    return CWINNOW_MASK_INITIAL ^ __atomic_load_n(&cell->held, __ATOMIC_RELAXED);
}

/// Returns 0 where a call goes on at once, as its level is let through whatever its statement and its task are. MT-Safe,
/// AS-Safe.
///
/// The call has seen the mask before, perhaps of another moment: so what this says has to do alone. The lower half of
/// the place of a statement has the bit of its level where `closer` has the levels (see `StatementPlace`); its other
/// bits meet some of `closer` only where all levels are there.
__attribute__((always_inline)) static inline uint32_t
cwinnow_category_detour(const cwinnow_cell *_Nonnull cell, uint32_t place) {
    return __atomic_load_n(&cell->closer, __ATOMIC_RELAXED) & place;
}

/// What a cell says of the levels, at one moment.
typedef struct cwinnow_cell_levels {
    uint32_t mask;
    /// What has a call look closer; 0 for nothing.
    uint32_t closer;
} cwinnow_cell_levels;

/// The first two numbers of a cell.
typedef uint64_t __attribute__((may_alias)) cwinnow_cell_word;

/// Returns what a cell says of the levels. MT-Safe, AS-Safe.
static inline cwinnow_cell_levels cwinnow_category_levels(const cwinnow_cell *_Nonnull cell) {
    uint64_t word = __atomic_load_n((const cwinnow_cell_word *)cell, __ATOMIC_RELAXED);
    uint32_t halves[2];
    memcpy(halves, &word, sizeof halves);
    cwinnow_cell_levels levels = {CWINNOW_MASK_INITIAL ^ halves[0], halves[1] & CWINNOW_CLOSER_REASONS};
    return levels;
}

/// Sets what a cell says of the levels, at once. MT-Safe, AS-Safe.
static inline void
cwinnow_category_set_levels(cwinnow_cell *_Nonnull cell, cwinnow_cell_levels levels) {
    uint32_t held = CWINNOW_MASK_INITIAL ^ levels.mask;
    uint32_t detours = levels.closer == 0 ? held << CWINNOW_CLOSER_SHIFT : ~CWINNOW_CLOSER_REASONS;
    uint32_t halves[2] = {held, levels.closer | detours};
    uint64_t word;
    memcpy(&word, halves, sizeof word);
    __atomic_store_n((cwinnow_cell_word *)cell, word, __ATOMIC_RELAXED);
}

/// Makes a category of nobody's, with a copy of the name and the initial mask, and returns its cell; NULL where
/// memory has run out. It is never freed. MT-Safe, AS-Unsafe heap.
cwinnow_cell *_Nullable cwinnow_category_make(const uint8_t *_Nullable name, size_t length);

/// Makes a category of the program's, whose cell lies in the control page as long as there is room; else as
/// `cwinnow_category_make`. One thread at a time, AS-Unsafe heap.
cwinnow_cell *_Nullable cwinnow_category_register(const uint8_t *_Nullable name, size_t length);

#ifdef __cplusplus
}
#endif

#endif
