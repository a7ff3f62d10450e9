// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "imports.h"

#include <elf.h>
#include <string.h>

#include "objects.h"

#pragma GCC visibility push(protected)

/// The bits of a symbol's version that are its number; the other one hides the symbol.
#define VERSION_MASK 0x7fff

static const ElfW(Dyn) *section_of(const struct dl_phdr_info *object) {
    for (size_t index = 0; index < object->dlpi_phnum; index++) {
        if (object->dlpi_phdr[index].p_type == PT_DYNAMIC) {
            return (const void *)(object->dlpi_addr + object->dlpi_phdr[index].p_vaddr);
        }
    }
    return NULL;
}

cwinnow_imports cwinnow_imports_of(const struct dl_phdr_info *object) {
    cwinnow_imports found = {0};
    const ElfW(Dyn) *entry = section_of(object);
    for (; entry != NULL && entry->d_tag != DT_NULL; entry++) {
        const void *address = (const void *)cwinnow_object_place(object, entry);
        switch (entry->d_tag) {
        case DT_SYMTAB: found.symbols = address; break;
        case DT_STRTAB: found.names = address; break;
        case DT_JMPREL: found.tables[0].start = address; break;
        case DT_RELA: found.tables[1].start = address; break;
        case DT_PLTRELSZ: found.tables[0].count = entry->d_un.d_val / sizeof(ElfW(Rela)); break;
        case DT_RELASZ: found.tables[1].count = entry->d_un.d_val / sizeof(ElfW(Rela)); break;
        case DT_VERSYM: found.versions = address; break;
        case DT_VERNEED: found.needed = address; break;
        default: break;
        }
    }
    return found;
}

bool cwinnow_imports_has_function(const cwinnow_imports *imports, size_t symbol) {
    const ElfW(Sym) *of = &imports->symbols[symbol];
    unsigned type = ELF64_ST_TYPE(of->st_info);
    return of->st_shndx == SHN_UNDEF && type != STT_OBJECT && type != STT_TLS;
}

/// Returns the name of a version that the object needs of another one; NULL where it is none.
static const char *version_name(const cwinnow_imports *imports, unsigned number) {
    const ElfW(Verneed) *file = imports->needed;
    while (file != NULL) {
        const char *place = (const char *)file + file->vn_aux;
        for (unsigned index = 0; index < file->vn_cnt; index++) {
            const ElfW(Vernaux) *version = (const void *)place;
            if (version->vna_other == number) {
                return imports->names + version->vna_name;
            }
            place += version->vna_next;
        }
        file = file->vn_next == 0 ? NULL : (const void *)((const char *)file + file->vn_next);
    }
    return NULL;
}

bool cwinnow_imports_is_of_libc(const cwinnow_imports *imports, size_t symbol) {
    if (imports->versions == NULL) {
        return false;
    }
    static const char prefix[] = "GLIBC_";
    const char *name = version_name(imports, imports->versions[symbol] & VERSION_MASK);
    return name != NULL && strncmp(name, prefix, sizeof prefix - 1) == 0;
}
