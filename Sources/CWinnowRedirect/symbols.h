// SPDX-License-Identifier: Apache-2.0

/// The functions of a program by address.

#ifndef CWINNOW_SYMBOLS_H
#define CWINNOW_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "elffile.h"
#include "pairs.h"

/// A function, as the symbol table has it; addresses are relative to the load address.
typedef struct cwinnow_symbol {
    const char *name;
    uint64_t start;
    uint64_t size;
} cwinnow_symbol;

/// The functions in the order of their addresses.
///
/// One entry has 8 bytes, so that a program of 70 MB with 141,000 functions needs 1.1 MB. It is paid
/// for by the first miss: a search without it looks at each symbol, 100 to 370 µs in such a program,
/// at each new return address; with it, at 18.
typedef struct cwinnow_symbol_index {
    /// The address from which the keys count.
    uint64_t base;
    /// The address as key, the number of the symbol as value.
    cwinnow_pairs functions;
    /// The address of `main`, 0 without one, and the module whose name SwiftPM gives it, `M_main`.
    uint64_t main_start;
    const char *main_name;
} cwinnow_symbol_index;

/// Makes the index of the functions from an address on. Returns false, and an empty index, where
/// there is none or no memory.
bool cwinnow_symbols_index(const cwinnow_elf *elf, uint64_t base, cwinnow_symbol_index *ret_index);

/// Finds the function that an address is in; of those with more than one name the Swift one.
bool cwinnow_symbols_find(const cwinnow_elf *elf, const cwinnow_symbol_index *index,
                          uint64_t address, cwinnow_symbol *ret_symbol);

#endif
