// SPDX-License-Identifier: Apache-2.0

/// One unit of a DWARF line table: the source files of one compilation, and the code of each.
/// Source: DWARF 5, section 6.2; DWARF 4 and before, the same section.

#ifndef CWINNOW_LINE_UNIT_H
#define CWINNOW_LINE_UNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "elffile.h"

typedef struct cwinnow_line_unit {
    unsigned version;
    /// The bytes of an offset: 4, or 8 in 64-bit DWARF.
    unsigned offset_size;
    unsigned instruction_size;
    unsigned line_range;
    unsigned opcode_base;
    /// The number of operands of each standard opcode from 1 on.
    cwinnow_bytes operand_counts;
    /// The lists of folders and files, and the program that makes the rows.
    cwinnow_bytes tables, program;
} cwinnow_line_unit;

/// One row of the table, or the end of a sequence of rows.
typedef struct cwinnow_line_row {
    uint64_t address;
    uint64_t file;
    /// Whether it ends a sequence: behind it begins another, at any address.
    bool is_end;
} cwinnow_line_row;

/// Called with each row; returns false to see no more.
typedef bool cwinnow_line_visitor(void *context, const cwinnow_line_row *row);

/// Takes the next unit off the front. Returns false at the end, and where there is none that can be
/// left: `ret_unit->version` is 0 for one that can be left, but not read.
bool cwinnow_line_unit_next(cwinnow_reader *lines, cwinnow_line_unit *ret_unit);

/// Runs the program of a unit; it ends with its bytes, whatever they are.
void cwinnow_line_unit_run(
    const cwinnow_line_unit *unit, cwinnow_line_visitor *visitor, void *context);

/// Writes the path of a file of a unit, as much of it as the unit knows. Returns false where it has no
/// such file, or its path does not fit.
bool cwinnow_line_unit_path(const cwinnow_elf *elf, const cwinnow_line_unit *unit, uint64_t file,
                            char *ret_path, size_t size);

/// The number of the file that the unit is named after.
uint64_t cwinnow_line_unit_primary(const cwinnow_line_unit *unit);

#endif
