// SPDX-License-Identifier: Apache-2.0

#include "elffile.h"

#include <elf.h>
#include <string.h>

#pragma GCC visibility push(protected)

static bool read_header(cwinnow_bytes file, Elf64_Ehdr *header) {
    if (file.count < sizeof *header) {
        return false;
    }
    memcpy(header, file.start, sizeof *header);
    return memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
           header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_ident[EI_DATA] == ELFDATA2LSB;
}

static bool read_section(
    cwinnow_bytes file, const Elf64_Ehdr *header, uint64_t number, Elf64_Shdr *section) {
    if (header->e_shoff == 0 || header->e_shentsize != sizeof *section) {
        return false;
    }
    cwinnow_bytes headers =
        header->e_shoff > file.count
            ? (cwinnow_bytes){NULL, 0}
            : cwinnow_bytes_part(file, header->e_shoff, file.count - header->e_shoff);
    cwinnow_bytes part = cwinnow_bytes_part(headers, number * sizeof *section, sizeof *section);
    if (part.count == 0) {
        return false;
    }
    memcpy(section, part.start, sizeof *section);
    return true;
}

/// The bytes of a section; absent where it has none in the file, or compressed ones.
static cwinnow_bytes contents(cwinnow_bytes file, const Elf64_Shdr *section) {
    if (section->sh_type == SHT_NOBITS || (section->sh_flags & SHF_COMPRESSED) != 0) {
        return (cwinnow_bytes){NULL, 0};
    }
    return cwinnow_bytes_part(file, section->sh_offset, section->sh_size);
}

static void take_symbols(
    cwinnow_bytes file, const Elf64_Ehdr *header, const Elf64_Shdr *section, cwinnow_elf *elf) {
    Elf64_Shdr names;
    bool is_full = section->sh_type == SHT_SYMTAB;
    if ((!is_full && elf->has_all_symbols) || section->sh_entsize != sizeof(Elf64_Sym) ||
        !read_section(file, header, section->sh_link, &names)) {
        return;
    }
    cwinnow_bytes symbols = contents(file, section);
    cwinnow_bytes strings = contents(file, &names);
    if (symbols.count > 0 && strings.count > 0) {
        elf->symbols = symbols;
        elf->symbol_names = strings;
        elf->has_all_symbols = is_full;
    }
}

static void take_named(
    cwinnow_bytes file, const Elf64_Shdr *section, const char *name, cwinnow_elf *elf) {
    if (strcmp(name, ".debug_line") == 0) {
        elf->lines = contents(file, section);
    } else if (strcmp(name, ".debug_line_str") == 0) {
        elf->line_strings = contents(file, section);
    } else if (strcmp(name, ".debug_str") == 0) {
        elf->strings = contents(file, section);
    } else if (strcmp(name, "swift5_type_metadata") == 0) {
        elf->types_address = section->sh_addr;
        elf->types_size = section->sh_size;
    }
}

/// The number of sections, which is in the first one where it does not fit the header.
static uint64_t section_count(cwinnow_bytes file, const Elf64_Ehdr *header) {
    Elf64_Shdr first;
    if (header->e_shnum != 0 || !read_section(file, header, 0, &first)) {
        return header->e_shnum;
    }
    return first.sh_size;
}

static cwinnow_bytes section_names(cwinnow_bytes file, const Elf64_Ehdr *header) {
    Elf64_Shdr section;
    uint64_t number = header->e_shstrndx;
    if (number == SHN_XINDEX && read_section(file, header, 0, &section)) {
        number = section.sh_link;
    }
    if (!read_section(file, header, number, &section)) {
        return (cwinnow_bytes){NULL, 0};
    }
    return contents(file, &section);
}

bool cwinnow_elf_read(cwinnow_bytes file, cwinnow_elf *ret_elf) {
    Elf64_Ehdr header;
    if (!read_header(file, &header)) {
        return false;
    }
    *ret_elf = (cwinnow_elf){.types_size = 0};
    ret_elf->program_headers = cwinnow_bytes_part(
        file, header.e_phoff, (uint64_t)header.e_phnum * header.e_phentsize);
    cwinnow_bytes names = section_names(file, &header);
    uint64_t count = section_count(file, &header);
    Elf64_Shdr section;
    // It ends with the file at the latest, whatever the count is.
    for (uint64_t number = 0;
         number < count && read_section(file, &header, number, &section); number++) {
        const char *name = cwinnow_bytes_string(names, section.sh_name);
        if (section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM) {
            take_symbols(file, &header, &section, ret_elf);
        } else if (name != NULL) {
            take_named(file, &section, name, ret_elf);
        }
    }
    return true;
}
