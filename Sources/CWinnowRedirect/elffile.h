// SPDX-License-Identifier: Apache-2.0

/// The sections of an ELF file that say whose code it holds.
///
/// Debug information that was moved to a file of its own (`.gnu_debuglink`, or by build-id) is not
/// looked for: a program that is shipped so counts as one without it.

#ifndef CWINNOW_ELF_FILE_H
#define CWINNOW_ELF_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "bytes.h"

/// What is absent in the file, compressed, or out of its bounds is absent here.
typedef struct cwinnow_elf {
    /// The program headers, as the loader has them.
    cwinnow_bytes program_headers;
    /// The symbols, Elf64_Sym, and the strings that they name: of .symtab, else of .dynsym.
    cwinnow_bytes symbols, symbol_names;
    /// Whether the symbols are those of .symtab, and so of all functions.
    bool has_all_symbols;
    /// The line table, and the strings that it names.
    cwinnow_bytes lines, line_strings, strings;
    /// Where the section `swift5_type_metadata` is in memory, relative to the load address.
    uint64_t types_address, types_size;
} cwinnow_elf;

/// Finds the sections of a file of 64 bits. Returns false for what is none. MT-Safe, AS-Safe.
/// Source: the System V ABI, chapter 4, "Object Files".
bool cwinnow_elf_read(cwinnow_bytes file, cwinnow_elf *ret_elf);

#endif
