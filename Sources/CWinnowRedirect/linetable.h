// SPDX-License-Identifier: Apache-2.0

/// The target that the source file of code belongs to, by the line table of a program.

#ifndef CWINNOW_LINE_TABLE_H
#define CWINNOW_LINE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "CWinnowOrigin.h"
#include "elffile.h"
#include "pairs.h"

/// The sequences of rows in the order of their addresses.
///
/// A line table can only be read from its start: of 12 KB in 20 µs, of the 30 MB of a large program in
/// 50 ms. That is done once, when code that no symbol names is met first; after it one unit is read.
typedef struct cwinnow_line_index {
    /// The address from which the keys count, relative to the load address.
    uint64_t base;
    /// The first address of a sequence as key, the offset of its unit as value.
    cwinnow_pairs sequences;
} cwinnow_line_index;

/// Makes the index of the sequences whose code is between two addresses; what lies elsewhere is of
/// code that the linker has left out. Returns false, and an empty index, where there is none.
bool cwinnow_lines_index(
    const cwinnow_elf *elf, uint64_t low, uint64_t high, cwinnow_line_index *ret_index);

/// Finds the target whose source has the code at an address: of the file that an inlined function is
/// from, else of the file that was compiled. Returns false where neither is a target's.
bool cwinnow_lines_find(const cwinnow_elf *elf, const cwinnow_line_index *index, uint64_t address,
                        char ret_target[CWINNOW_ORIGIN_NAME_SIZE]);

/// Finds the target in a path, which SwiftPM has in `Sources/TARGET/` or a folder that it takes for
/// that. Returns false where there is none.
bool cwinnow_path_target(const char *path, char ret_target[CWINNOW_ORIGIN_NAME_SIZE]);

#endif
