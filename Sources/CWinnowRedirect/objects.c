// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "objects.h"

#include <stdio.h>
#include <string.h>

#include "loaded.h"
#include "runtime.h"

#pragma GCC visibility push(protected)

/// The tables of an object by which the loader finds its symbols, as addresses; 0 where absent.
struct tables {
    uintptr_t symbols, strings, hash, gnu_hash;
};

uintptr_t cwinnow_object_place(const struct dl_phdr_info *object, const ElfW(Dyn) *entry) {
    uintptr_t value = entry->d_un.d_ptr;
    return value < object->dlpi_addr ? value + object->dlpi_addr : value;
}

static struct tables find_tables(const struct dl_phdr_info *object, const cwinnow_memory *memory) {
    struct tables tables = {0, 0, 0, 0};
    uintptr_t place = 0;
    for (size_t index = 0; index < object->dlpi_phnum; index++) {
        if (object->dlpi_phdr[index].p_type == PT_DYNAMIC) {
            place = object->dlpi_addr + object->dlpi_phdr[index].p_vaddr;
        }
    }
    ElfW(Dyn) entry = {.d_tag = DT_NULL};
    for (;; place += sizeof entry) {
        const uint8_t *bytes = cwinnow_memory_at(memory, place, sizeof entry);
        if (bytes == NULL) {
            return tables;
        }
        memcpy(&entry, bytes, sizeof entry);
        switch (entry.d_tag) {
        case DT_NULL:
            return tables;
        case DT_SYMTAB:
            tables.symbols = cwinnow_object_place(object, &entry);
            break;
        case DT_STRTAB:
            tables.strings = cwinnow_object_place(object, &entry);
            break;
        case DT_HASH:
            tables.hash = cwinnow_object_place(object, &entry);
            break;
        case DT_GNU_HASH:
            tables.gnu_hash = cwinnow_object_place(object, &entry);
            break;
        default:
            break;
        }
    }
}

/// The number behind the last symbol, by the table of GNU: the end of the chain that begins last.
/// Source: https://flapenguin.me/elf-dt-gnu-hash, and glibc, elf/dl-lookup.c.
static uint32_t count_by_gnu_hash(const cwinnow_memory *memory, uintptr_t table) {
    uint32_t buckets = 0, first = 0, filters = 0, last = 0, word = 0;
    if (!cwinnow_memory_word(memory, table, &buckets) ||
        !cwinnow_memory_word(memory, table + 4, &first) ||
        !cwinnow_memory_word(memory, table + 8, &filters)) {
        return 0;
    }
    uintptr_t bucket = table + 16 + (uintptr_t)filters * sizeof(uintptr_t);
    uintptr_t chains = bucket + (uintptr_t)buckets * 4;
    for (; bucket < chains && cwinnow_memory_word(memory, bucket, &word); bucket += 4) {
        last = word > last ? word : last;
    }
    if (last < first || last == 0) {
        return first;
    }
    while (cwinnow_memory_word(memory, chains + (uintptr_t)(last - first) * 4, &word)) {
        last++;
        if ((word & 1) != 0) {
            return last;
        }
    }
    return 0;
}

static uint32_t count_symbols(const cwinnow_memory *memory, const struct tables *tables) {
    uint32_t count;
    if (tables->hash != 0 && cwinnow_memory_word(memory, tables->hash + 4, &count)) {
        return count;
    }
    return tables->gnu_hash == 0 ? 0 : count_by_gnu_hash(memory, tables->gnu_hash);
}

/// Finds the exported function that an address is in.
static void find_symbol(
    const struct dl_phdr_info *info, uintptr_t address, cwinnow_object *object) {
    struct tables tables = find_tables(info, &object->memory);
    uint32_t count = count_symbols(&object->memory, &tables);
    for (uint32_t index = 0; index < count; index++) {
        ElfW(Sym) symbol;
        const uint8_t *bytes = cwinnow_memory_at(
            &object->memory, tables.symbols + index * sizeof symbol, sizeof symbol);
        if (bytes == NULL) {
            return;
        }
        memcpy(&symbol, bytes, sizeof symbol);
        uintptr_t start = info->dlpi_addr + symbol.st_value;
        if ((symbol.st_info & 15) != STT_FUNC || symbol.st_shndx == SHN_UNDEF ||
            address < start || address - start >= symbol.st_size) {
            continue;
        }
        const char *name =
            cwinnow_memory_string(&object->memory, tables.strings + symbol.st_name);
        if (name != NULL && (object->symbol[0] == 0 || name[0] == '$')) {
            snprintf(object->symbol, sizeof object->symbol, "%s", name);
            object->symbol_start = start;
        }
    }
}

/// Takes what is asked of an object that an address is in.
static void take(const struct dl_phdr_info *info, uintptr_t address, cwinnow_object *object) {
    const char *path = info->dlpi_name == NULL ? "" : info->dlpi_name;
    const char *slash = strrchr(path, '/');
    object->memory = cwinnow_memory_of(info);
    object->symbol[0] = 0;
    object->symbol_start = 0;
    snprintf(object->name, sizeof object->name, "%s", slash == NULL ? path : slash + 1);
    // The runtime has 20,000 symbols, and no print gets by without it.
    if (cwinnow_runtime_object(object->name) == cwinnow_passage_none) {
        find_symbol(info, address, object);
    }
}

bool cwinnow_object_find(uintptr_t address, cwinnow_object *ret_object) {
    struct dl_phdr_info info;
    if (!cwinnow_loaded_find(address, &info)) {
        return false;
    }
    take(&info, address, ret_object);
    return true;
}

bool cwinnow_object_memory(uintptr_t address, cwinnow_memory *ret_memory) {
    struct dl_phdr_info info;
    if (!cwinnow_loaded_find(address, &info)) {
        return false;
    }
    *ret_memory = cwinnow_memory_of(&info);
    return true;
}
