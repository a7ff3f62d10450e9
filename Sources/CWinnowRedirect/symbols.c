// SPDX-License-Identifier: Apache-2.0

#include "symbols.h"

#include <elf.h>
#include <string.h>

#pragma GCC visibility push(protected)

/// How many functions before an address are looked at: functions may lie within others, and have
/// more than one name.
#define LOOK_BACK 32

static bool symbol_at(const cwinnow_elf *elf, size_t number, Elf64_Sym *ret_symbol) {
    cwinnow_bytes part =
        cwinnow_bytes_part(elf->symbols, number * sizeof *ret_symbol, sizeof *ret_symbol);
    if (part.count == 0) {
        return false;
    }
    // The table is where the file has it, which need not be aligned.
    memcpy(ret_symbol, part.start, sizeof *ret_symbol);
    return true;
}

static bool is_function(const Elf64_Sym *symbol) {
    return ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF &&
           symbol->st_size > 0;
}

static bool is_main(const char *name) {
    size_t count = strlen(name);
    return count > 5 && name[0] != '_' && name[0] != '$' && strcmp(name + count - 5, "_main") == 0;
}

/// Finds where the program begins, and the name that SwiftPM gives that function beside `main`.
static void find_main(const cwinnow_elf *elf, cwinnow_symbol_index *index) {
    Elf64_Sym symbol;
    for (size_t number = 0; index->main_start == 0 && symbol_at(elf, number, &symbol); number++) {
        // Not as a string, whose end is looked for: of half a million names that takes a while.
        cwinnow_bytes name =
            cwinnow_bytes_part(elf->symbol_names, symbol.st_name, sizeof "main");
        if (name.count > 0 && symbol.st_shndx != SHN_UNDEF &&
            memcmp(name.start, "main", sizeof "main") == 0) {
            index->main_start = symbol.st_value;
        }
    }
    for (size_t number = 0; index->main_start != 0 && symbol_at(elf, number, &symbol); number++) {
        if (symbol.st_value != index->main_start || symbol.st_shndx == SHN_UNDEF) {
            continue;
        }
        const char *name = cwinnow_bytes_string(elf->symbol_names, symbol.st_name);
        if (name != NULL && is_main(name)) {
            index->main_name = name;
            return;
        }
    }
}

bool cwinnow_symbols_index(
    const cwinnow_elf *elf, uint64_t base, cwinnow_symbol_index *ret_index) {
    *ret_index = (cwinnow_symbol_index){.base = base};
    if (!cwinnow_pairs_make(&ret_index->functions, elf->symbols.count / sizeof(Elf64_Sym))) {
        return false;
    }
    Elf64_Sym symbol;
    for (size_t number = 0; symbol_at(elf, number, &symbol); number++) {
        if (is_function(&symbol) && symbol.st_value >= base &&
            symbol.st_value - base <= UINT32_MAX) {
            cwinnow_pairs_add(
                &ret_index->functions, (uint32_t)(symbol.st_value - base), (uint32_t)number);
        }
    }
    find_main(elf, ret_index);
    return cwinnow_pairs_sort(&ret_index->functions);
}

bool cwinnow_symbols_find(const cwinnow_elf *elf, const cwinnow_symbol_index *index,
                          uint64_t address, cwinnow_symbol *ret_symbol) {
    if (address < index->base || address - index->base > UINT32_MAX) {
        return false;
    }
    size_t last = cwinnow_pairs_count_up_to(&index->functions, (uint32_t)(address - index->base));
    size_t first = last > LOOK_BACK ? last - LOOK_BACK : 0;
    bool is_found = false;
    for (size_t place = last; place > first; place--) {
        Elf64_Sym symbol;
        if (!symbol_at(elf, index->functions.list[place - 1].value, &symbol) ||
            address < symbol.st_value || address - symbol.st_value >= symbol.st_size) {
            continue;
        }
        if (is_found && symbol.st_value != ret_symbol->start) {
            break;
        }
        const char *name = cwinnow_bytes_string(elf->symbol_names, symbol.st_name);
        if (name != NULL && (!is_found || name[0] == '$')) {
            *ret_symbol = (cwinnow_symbol){name, symbol.st_value, symbol.st_size};
            is_found = true;
        }
    }
    return is_found;
}
