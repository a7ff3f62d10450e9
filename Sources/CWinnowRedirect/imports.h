// SPDX-License-Identifier: Apache-2.0

/// What an object imports of others, by the tables that the loader resolves names with.

#ifndef CWINNOW_IMPORTS_H
#define CWINNOW_IMPORTS_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>

/// A table of an object that is resolved by name.
typedef struct cwinnow_relocations {
    const ElfW(Rela) *start;
    size_t count;
} cwinnow_relocations;

/// What is needed of an object's dynamic section; a table is NULL where the object has none.
typedef struct cwinnow_imports {
    const ElfW(Sym) *symbols;
    const char *names;
    /// The table of calls, which may be resolved when each is called first, and the other one.
    cwinnow_relocations tables[2];
    /// The version of each symbol, and what the versions are called.
    const ElfW(Half) *versions;
    const ElfW(Verneed) *needed;
} cwinnow_imports;

/// Reads the dynamic section of an object that is loaded.
cwinnow_imports cwinnow_imports_of(const struct dl_phdr_info *object);

/// Whether a symbol is a function, as far as its object says, and another object's: what an object
/// defines itself may be anything of the same name.
bool cwinnow_imports_has_function(const cwinnow_imports *imports, size_t symbol);

/// Whether an import was glibc's when its object was linked, and so is called as glibc declares it.
bool cwinnow_imports_is_of_libc(const cwinnow_imports *imports, size_t symbol);

#endif
