// SPDX-License-Identifier: Apache-2.0

/// Feeds cut and changed copies of an ELF file to the parsers of CWinnowRedirect.
///
///     mutate FILE SEED ROUNDS
///
/// Built with the sanitizers, it dies of what reads out of bounds. Prints how many functions and lines
/// were found in the file as it is, and exits with 0. Each copy has a block of its own, of its exact
/// size, so that what reads one byte too far is seen.

#define _GNU_SOURCE

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elffile.h"
#include "linetable.h"
#include "machine.h"
#include "mangledname.h"
#include "name.h"
#include "neighbors.h"
#include "symbols.h"

static uint64_t state;

/// A number by splitmix64.
static uint64_t next(void) {
    uint64_t value = state += 0x9e3779b97f4a7c15u;
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
    value = (value ^ value >> 27) * 0x94d049bb133111ebu;
    return value ^ value >> 31;
}

static uint64_t below(uint64_t limit) {
    return limit == 0 ? 0 : next() % limit;
}

struct counts {
    size_t functions, lines, types;
};

/// Whether a name is what the table of origins may have.
static void check_name(const char *name) {
    if (memchr(name, 0, CWINNOW_ORIGIN_NAME_SIZE) == NULL) {
        abort();
    }
    for (const char *at = name; *at != 0; at++) {
        if ((unsigned char)*at < 0x20 || *at == 0x7f) {
            abort();
        }
    }
}

/// Looks for the code at an address in all ways.
static void look(const cwinnow_elf *elf, const cwinnow_symbol_index *symbols,
                 const cwinnow_line_index *lines, uint64_t address, struct counts *counts) {
    cwinnow_symbol symbol;
    char name[CWINNOW_ORIGIN_NAME_SIZE] = "";
    if (cwinnow_symbols_find(elf, symbols, address, &symbol)) {
        counts->functions++;
        cwinnow_mangled_module(symbol.name, name);
        check_name(name);
        cwinnow_mangled_scope(symbol.name, name);
        check_name(name);
    }
    if (cwinnow_lines_find(elf, lines, address, name)) {
        counts->lines++;
        check_name(name);
    }
}

/// Lays the file out as the loader would, as far as its headers make sense, in a block of the size.
static uint8_t *lay_out(const cwinnow_elf *elf, cwinnow_bytes file, size_t size) {
    uint8_t *image = calloc(size, 1);
    if (image == NULL) {
        abort();
    }
    Elf64_Phdr header;
    for (size_t place = 0; place + sizeof header <= elf->program_headers.count;
         place += sizeof header) {
        memcpy(&header, elf->program_headers.start + place, sizeof header);
        bool is_in_file =
            header.p_offset <= file.count && header.p_filesz <= file.count - header.p_offset;
        bool fits = header.p_vaddr <= size && header.p_filesz <= size - header.p_vaddr;
        if (header.p_type == PT_LOAD && is_in_file && fits) {
            memcpy(image + header.p_vaddr, file.start + header.p_offset, header.p_filesz);
        }
    }
    return image;
}

/// Looks for the module of an address by the types of a program that is laid out.
static bool look_for_types(const cwinnow_elf *elf, cwinnow_bytes file) {
    size_t size = file.count * 2 + 1;
    uint8_t *image = lay_out(elf, file, size);
    uintptr_t start = (uintptr_t)image;
    cwinnow_memory memory = {{{start, start + size, true}}, 1};
    char name[CWINNOW_ORIGIN_NAME_SIZE];
    bool is_found = elf->types_address < size &&
        cwinnow_neighbors_find(&memory, start + (uintptr_t)elf->types_address, elf->types_size,
                               start + below(size), name);
    if (is_found) {
        check_name(name);
    }
    free(image);
    return is_found;
}

static struct counts parse(cwinnow_bytes file) {
    struct counts counts = {0, 0, 0};
    cwinnow_elf elf;
    if (!cwinnow_elf_read(file, &elf)) {
        return counts;
    }
    cwinnow_symbol_index symbols;
    cwinnow_line_index lines;
    cwinnow_symbols_index(&elf, 0, &symbols);
    cwinnow_lines_index(&elf, 1, file.count * 4, &lines);
    for (int count = 0; count < 20; count++) {
        look(&elf, &symbols, &lines, below(file.count), &counts);
    }
    for (size_t place = 0; place < symbols.functions.count; place += 1 + symbols.functions.count / 50) {
        look(&elf, &symbols, &lines, symbols.functions.list[place].key, &counts);
    }
    cwinnow_pairs_free(&symbols.functions);
    cwinnow_pairs_free(&lines.sequences);
    counts.types += look_for_types(&elf, file);
    return counts;
}

static struct counts parse_copy(cwinnow_bytes file, size_t count, size_t changes) {
    uint8_t *copy = malloc(count == 0 ? 1 : count);
    if (copy == NULL) {
        abort();
    }
    memcpy(copy, file.start, count);
    // Where changes matter most: the headers, which are at both ends, and the line table.
    cwinnow_elf elf;
    size_t table = cwinnow_elf_read(file, &elf) && elf.lines.count > 0
                       ? (size_t)(elf.lines.start - file.start)
                       : 0;
    for (size_t index = 0; index < changes && count > 0; index++) {
        uint64_t kind = below(4);
        uint64_t place = kind == 0   ? below(64)
                         : kind == 1 ? count - 1 - below(count < 4096 ? count : 4096)
                         : kind == 2 ? table + below(elf.lines.count)
                                     : below(count);
        if (place < count) {
            copy[place] = below(3) == 0 ? 0xff : (uint8_t)next();
        }
    }
    struct counts counts = parse((cwinnow_bytes){copy, count});
    free(copy);
    return counts;
}

/// Feeds random bytes to what reads names, paths and code.
static void parse_noise(void) {
    static const char *const starts[] = {
        "$s", "$s10", "_ZN", "_ZNK3", "_ZZN12_GLOBAL__N_1", "/Sources/", "src/", "\xf4\x90", ""};
    char text[300];
    size_t count = (size_t)snprintf(text, sizeof text, "%s", starts[below(9)]);
    size_t end = count + (size_t)below(sizeof text - count - 1);
    while (count < end) {
        text[count++] = below(3) == 0 ? (char)('0' + below(10)) : (char)(1 + below(255));
    }
    text[count] = 0;
    char name[CWINNOW_ORIGIN_NAME_SIZE] = "";
    cwinnow_mangled_module(text, name);
    check_name(name);
    cwinnow_mangled_scope(text, name);
    check_name(name);
    cwinnow_path_target(text, name);
    check_name(name);
    cwinnow_name_write(name, text, count);
    check_name(name);
    uint8_t *code = malloc(CWINNOW_STUB_BYTES);
    if (code == NULL) {
        abort();
    }
    memcpy(code, text, CWINNOW_STUB_BYTES);
    cwinnow_machine_stub(code, (uintptr_t)code);
    free(code);
}

int main(int argc, char **argv) {
    int descriptor = argc == 4 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
    struct stat status;
    if (descriptor < 0 || fstat(descriptor, &status) != 0) {
        fprintf(stderr, "usage: mutate FILE SEED ROUNDS\n");
        return 2;
    }
    size_t size = (size_t)status.st_size;
    void *start = mmap(NULL, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (start == MAP_FAILED) {
        return 2;
    }
    cwinnow_bytes file = {start, size};
    state = strtoull(argv[2], NULL, 10);
    uint64_t rounds = strtoull(argv[3], NULL, 10);
    struct counts counts = parse(file);
    printf("%zu functions, %zu lines, %zu types\n", counts.functions, counts.lines, counts.types);
    for (uint64_t round = 0; round < rounds; round++) {
        parse_copy(file, (size_t)below(size), 0);
        parse_copy(file, size, 1 + (size_t)below(64));
        for (int count = 0; count < 100; count++) {
            parse_noise();
        }
    }
    return 0;
}
