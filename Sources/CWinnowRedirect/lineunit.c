// SPDX-License-Identifier: Apache-2.0

#include "lineunit.h"

#pragma GCC visibility push(protected)

/// What marks the length of a unit in 64-bit DWARF, and what begins a length that has no meaning.
#define LENGTH_IS_LONG 0xffffffffu
#define LENGTH_RESERVED 0xfffffff0u

enum standard_opcode {
    opcode_extended = 0,
    opcode_copy = 1,
    opcode_advance_pc = 2,
    opcode_advance_line = 3,
    opcode_set_file = 4,
    opcode_const_add_pc = 8,
    opcode_fixed_advance_pc = 9,
};

enum extended_opcode { extended_end_sequence = 1, extended_set_address = 2 };

/// Takes the bytes of a unit off the front, without its length.
static cwinnow_reader take_unit(cwinnow_reader *lines, unsigned *ret_offset_size) {
    uint64_t length = cwinnow_reader_number(lines, 4);
    *ret_offset_size = 4;
    if (length == LENGTH_IS_LONG) {
        length = cwinnow_reader_number(lines, 8);
        *ret_offset_size = 8;
    } else if (length >= LENGTH_RESERVED) {
        cwinnow_reader_fail(lines);
    }
    return cwinnow_reader_of(cwinnow_reader_take(lines, length));
}

bool cwinnow_line_unit_next(cwinnow_reader *lines, cwinnow_line_unit *ret_unit) {
    if (cwinnow_reader_rest(lines) == 0) {
        return false;
    }
    cwinnow_line_unit unit = {.version = 0};
    cwinnow_reader bytes = take_unit(lines, &unit.offset_size);
    unsigned version = (unsigned)cwinnow_reader_number(&bytes, 2);
    if (version >= 5) {
        cwinnow_reader_take(&bytes, 2); // the sizes of an address and of a segment selector
    }
    cwinnow_reader header =
        cwinnow_reader_of(cwinnow_reader_take(&bytes, cwinnow_reader_number(&bytes, unit.offset_size)));
    unit.instruction_size = (unsigned)cwinnow_reader_number(&header, 1);
    cwinnow_reader_take(&header, version >= 4 ? 3 : 2); // two flags for statements, the lowest line
    unit.line_range = (unsigned)cwinnow_reader_number(&header, 1);
    unit.opcode_base = (unsigned)cwinnow_reader_number(&header, 1);
    unit.operand_counts =
        cwinnow_reader_take(&header, unit.opcode_base > 0 ? unit.opcode_base - 1 : 0);
    unit.tables = (cwinnow_bytes){header.at, cwinnow_reader_rest(&header)};
    unit.program = (cwinnow_bytes){bytes.at, cwinnow_reader_rest(&bytes)};
    bool is_read = !header.has_failed && !bytes.has_failed && unit.line_range > 0 &&
                   unit.opcode_base > 0 && version >= 2 && version <= 5;
    unit.version = is_read ? version : 0;
    *ret_unit = unit;
    return !lines->has_failed;
}

/// The registers of the program that matter here, and the bytes that are left of it.
struct machine {
    const cwinnow_line_unit *unit;
    cwinnow_reader program;
    cwinnow_line_row row;
    cwinnow_line_visitor *visitor;
    void *context;
};

static bool emit(struct machine *machine) {
    return machine->visitor(machine->context, &machine->row);
}

static bool run_extended(struct machine *machine) {
    uint64_t length = cwinnow_reader_leb(&machine->program);
    cwinnow_reader operation = cwinnow_reader_of(cwinnow_reader_take(&machine->program, length));
    uint64_t opcode = cwinnow_reader_number(&operation, 1);
    if (opcode == extended_set_address) {
        size_t size = cwinnow_reader_rest(&operation);
        machine->row.address = cwinnow_reader_number(&operation, size < 8 ? (unsigned)size : 8);
    } else if (opcode == extended_end_sequence) {
        machine->row.is_end = true;
        bool goes_on = emit(machine);
        machine->row = (cwinnow_line_row){.file = 1};
        return goes_on;
    }
    return true;
}

static void skip_operands(struct machine *machine, unsigned opcode) {
    unsigned count =
        opcode <= machine->unit->operand_counts.count ? machine->unit->operand_counts.start[opcode - 1] : 0;
    while (count-- > 0) {
        cwinnow_reader_leb(&machine->program);
    }
}

/// The instructions that a special opcode advances by.
static uint64_t advance_of(const cwinnow_line_unit *unit, unsigned opcode) {
    return (uint64_t)((opcode - unit->opcode_base) / unit->line_range) * unit->instruction_size;
}

static bool run_opcode(struct machine *machine, unsigned opcode) {
    const cwinnow_line_unit *unit = machine->unit;
    if (opcode >= unit->opcode_base) {
        machine->row.address += advance_of(unit, opcode);
        return emit(machine);
    }
    switch (opcode) {
    case opcode_extended:
        return run_extended(machine);
    case opcode_copy:
        return emit(machine);
    case opcode_advance_pc:
        machine->row.address += cwinnow_reader_leb(&machine->program) * unit->instruction_size;
        return true;
    case opcode_set_file:
        machine->row.file = cwinnow_reader_leb(&machine->program);
        return true;
    case opcode_const_add_pc:
        machine->row.address += advance_of(unit, 255);
        return true;
    case opcode_fixed_advance_pc:
        machine->row.address += cwinnow_reader_number(&machine->program, 2);
        return true;
    default:
        skip_operands(machine, opcode);
        return true;
    }
}

void cwinnow_line_unit_run(
    const cwinnow_line_unit *unit, cwinnow_line_visitor *visitor, void *context) {
    struct machine machine = {
        .unit = unit,
        .program = cwinnow_reader_of(unit->program),
        .row = {.file = 1},
        .visitor = visitor,
        .context = context,
    };
    // Each turn takes a byte at least.
    while (cwinnow_reader_rest(&machine.program) > 0 &&
           run_opcode(&machine, (unsigned)cwinnow_reader_number(&machine.program, 1))) {
    }
}
