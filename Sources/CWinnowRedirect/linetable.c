// SPDX-License-Identifier: Apache-2.0

#include "linetable.h"

#include <string.h>

#include "lineunit.h"
#include "name.h"

#pragma GCC visibility push(protected)

/// The bytes that a sequence has at least: what sets its address, and what ends it.
#define SEQUENCE_BYTES 14

/// The longest path that is read, its NUL included: half of PATH_MAX, as stacks may be small.
#define PATH_SIZE 2048

struct indexing {
    cwinnow_line_index *index;
    uint64_t low, high;
    uint32_t unit;
    bool is_within;
};

static bool note_sequence(void *context, const cwinnow_line_row *row) {
    struct indexing *indexing = context;
    if (!indexing->is_within && !row->is_end && row->address >= indexing->low &&
        row->address < indexing->high) {
        cwinnow_pairs_add(
            &indexing->index->sequences, (uint32_t)(row->address - indexing->low), indexing->unit);
    }
    indexing->is_within = !row->is_end;
    return true;
}

bool cwinnow_lines_index(
    const cwinnow_elf *elf, uint64_t low, uint64_t high, cwinnow_line_index *ret_index) {
    *ret_index = (cwinnow_line_index){.base = low};
    if (high < low || high - low > UINT32_MAX || elf->lines.count > UINT32_MAX ||
        !cwinnow_pairs_make(&ret_index->sequences, elf->lines.count / SEQUENCE_BYTES)) {
        return false;
    }
    cwinnow_reader lines = cwinnow_reader_of(elf->lines);
    cwinnow_line_unit unit;
    struct indexing indexing = {ret_index, low, high, 0, false};
    while (cwinnow_line_unit_next(&lines, &unit)) {
        indexing.is_within = false;
        if (unit.version > 0) {
            cwinnow_line_unit_run(&unit, note_sequence, &indexing);
        }
        indexing.unit = (uint32_t)(lines.at - elf->lines.start);
    }
    return cwinnow_pairs_sort(&ret_index->sequences);
}

struct search {
    uint64_t address;
    cwinnow_line_row before;
    bool is_within, is_found;
};

static bool match_row(void *context, const cwinnow_line_row *row) {
    struct search *search = context;
    if (search->is_within && search->before.address <= search->address &&
        search->address < row->address) {
        search->is_found = true;
        return false;
    }
    search->before = *row;
    search->is_within = !row->is_end;
    return true;
}

static bool find_in_unit(const cwinnow_elf *elf, uint32_t offset, uint64_t address,
                         char ret_target[CWINNOW_ORIGIN_NAME_SIZE]) {
    cwinnow_reader lines =
        cwinnow_reader_of(cwinnow_bytes_part(elf->lines, offset, elf->lines.count - offset));
    cwinnow_line_unit unit;
    if (!cwinnow_line_unit_next(&lines, &unit) || unit.version == 0) {
        return false;
    }
    struct search search = {.address = address};
    cwinnow_line_unit_run(&unit, match_row, &search);
    char path[PATH_SIZE];
    if (!search.is_found) {
        return false;
    }
    if (cwinnow_line_unit_path(elf, &unit, search.before.file, path, sizeof path) &&
        cwinnow_path_target(path, ret_target)) {
        return true;
    }
    // `<compiler-generated>`, or a header of the system.
    return cwinnow_line_unit_path(elf, &unit, cwinnow_line_unit_primary(&unit), path, sizeof path) &&
           cwinnow_path_target(path, ret_target);
}

bool cwinnow_lines_find(const cwinnow_elf *elf, const cwinnow_line_index *index, uint64_t address,
                        char ret_target[CWINNOW_ORIGIN_NAME_SIZE]) {
    if (address < index->base || address - index->base > UINT32_MAX) {
        return false;
    }
    size_t count =
        cwinnow_pairs_count_up_to(&index->sequences, (uint32_t)(address - index->base));
    return count > 0 &&
           find_in_unit(elf, index->sequences.list[count - 1].value, address, ret_target);
}

/// Finds the last folder of a name that has a folder in it, and that folder.
static const char *find_target(const char *path, const char *folder, size_t *ret_count) {
    size_t length = strlen(folder);
    const char *found = NULL;
    for (const char *at = path; (at = strstr(at, folder)) != NULL; at++) {
        bool is_folder = (at == path || at[-1] == '/') && at[length] == '/';
        size_t count = is_folder ? strcspn(at + length + 1, "/") : 0;
        if (count > 0 && at[length + 1 + count] == '/') {
            found = at + length + 1;
            *ret_count = count;
        }
    }
    return found;
}

bool cwinnow_path_target(const char *path, char ret_target[CWINNOW_ORIGIN_NAME_SIZE]) {
    // Source: SwiftPM, PackageBuilder.predefinedSourceDirectories and predefinedTestDirectories.
    static const char *const folders[] = {"Sources", "Tests", "Source", "src", "srcs"};
    // Debian has the sources of packages that are no SwiftPM's in /usr/src.
    size_t folder_count = strncmp(path, "/usr/", 5) == 0 ? 2 : sizeof folders / sizeof *folders;
    for (size_t index = 0; index < folder_count; index++) {
        size_t count;
        const char *target = find_target(path, folders[index], &count);
        if (target != NULL) {
            cwinnow_name_write(ret_target, target, count);
            return true;
        }
    }
    return false;
}
