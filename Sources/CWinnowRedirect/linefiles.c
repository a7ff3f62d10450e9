// SPDX-License-Identifier: Apache-2.0

#include "lineunit.h"

#include <string.h>

#pragma GCC visibility push(protected)

/// What an entry of the lists of DWARF 5 is made of, and how each part is written.
enum content { content_path = 1, content_folder = 2 };
enum form {
    form_block = 0x09,
    form_data1 = 0x0b,
    form_data2 = 0x05,
    form_data4 = 0x06,
    form_data8 = 0x07,
    form_data16 = 0x1e,
    form_udata = 0x0f,
    form_string = 0x08,
    form_strp = 0x0e,
    form_line_strp = 0x1f,
};

/// One folder or file: its name, and the number of its folder.
struct entry {
    const char *name;
    uint64_t folder;
};

/// The parts that an entry may have; DWARF 5 defines five, and vendors add.
#define PART_LIMIT 16

/// How the entries of one list of DWARF 5 are written.
struct entry_format {
    unsigned count;
    uint64_t contents[PART_LIMIT];
    uint64_t forms[PART_LIMIT];
};

static void read_format(cwinnow_reader *tables, struct entry_format *format) {
    format->count = (unsigned)cwinnow_reader_number(tables, 1);
    if (format->count > PART_LIMIT) {
        cwinnow_reader_fail(tables);
        format->count = 0;
    }
    for (unsigned part = 0; part < format->count; part++) {
        format->contents[part] = cwinnow_reader_leb(tables);
        format->forms[part] = cwinnow_reader_leb(tables);
    }
}

static const char *read_string(const cwinnow_elf *elf, const cwinnow_line_unit *unit,
                               cwinnow_reader *tables, uint64_t form) {
    if (form == form_string) {
        return cwinnow_reader_string(tables);
    }
    uint64_t offset = cwinnow_reader_number(tables, unit->offset_size);
    return cwinnow_bytes_string(form == form_strp ? elf->strings : elf->line_strings, offset);
}

static uint64_t read_number(cwinnow_reader *tables, uint64_t form) {
    switch (form) {
    case form_data1:
        return cwinnow_reader_number(tables, 1);
    case form_data2:
        return cwinnow_reader_number(tables, 2);
    case form_data4:
        return cwinnow_reader_number(tables, 4);
    case form_data8:
        return cwinnow_reader_number(tables, 8);
    case form_udata:
        return cwinnow_reader_leb(tables);
    case form_data16:
        cwinnow_reader_take(tables, 16);
        return 0;
    case form_block:
        cwinnow_reader_take(tables, cwinnow_reader_leb(tables));
        return 0;
    default:
        cwinnow_reader_fail(tables); // of a size that is not known
        return 0;
    }
}

static struct entry read_entry(const cwinnow_elf *elf, const cwinnow_line_unit *unit,
                               cwinnow_reader *tables, const struct entry_format *format) {
    struct entry entry = {NULL, 0};
    for (unsigned part = 0; part < format->count; part++) {
        uint64_t form = format->forms[part];
        if (form == form_string || form == form_strp || form == form_line_strp) {
            const char *string = read_string(elf, unit, tables, form);
            entry.name = format->contents[part] == content_path ? string : entry.name;
        } else {
            uint64_t number = read_number(tables, form);
            entry.folder = format->contents[part] == content_folder ? number : entry.folder;
        }
    }
    return entry;
}

/// Reads a list of DWARF 5 to its end, and the entry of a number in it. Each entry that can be read
/// has a byte at least: so the bytes end the loop, whatever the count is.
static struct entry read_list(const cwinnow_elf *elf, const cwinnow_line_unit *unit,
                              cwinnow_reader *tables, uint64_t number) {
    struct entry_format format;
    read_format(tables, &format);
    uint64_t count = cwinnow_reader_leb(tables);
    struct entry found = {NULL, 0};
    for (uint64_t index = 0; format.count > 0 && index < count && !tables->has_failed; index++) {
        struct entry entry = read_entry(elf, unit, tables, &format);
        found = index == number ? entry : found;
    }
    return found;
}

/// The same for a list of DWARF 4, which counts from 1 and ends with an empty name.
static struct entry read_old_list(cwinnow_reader *tables, uint64_t number, bool has_files) {
    struct entry found = {NULL, 0};
    for (uint64_t index = 1; !tables->has_failed; index++) {
        struct entry entry = {cwinnow_reader_string(tables), 0};
        if (entry.name == NULL || entry.name[0] == 0) {
            break;
        }
        if (has_files) {
            entry.folder = cwinnow_reader_leb(tables);
            cwinnow_reader_leb(tables); // when it was changed
            cwinnow_reader_leb(tables); // its size
        }
        found = index == number ? entry : found;
    }
    return found;
}

static struct entry find_file(
    const cwinnow_elf *elf, const cwinnow_line_unit *unit, uint64_t number) {
    cwinnow_reader tables = cwinnow_reader_of(unit->tables);
    if (unit->version >= 5) {
        read_list(elf, unit, &tables, UINT64_MAX);
        return read_list(elf, unit, &tables, number);
    }
    read_old_list(&tables, 0, false);
    return read_old_list(&tables, number, true);
}

static const char *find_folder(
    const cwinnow_elf *elf, const cwinnow_line_unit *unit, uint64_t number) {
    cwinnow_reader tables = cwinnow_reader_of(unit->tables);
    struct entry entry = unit->version >= 5 ? read_list(elf, unit, &tables, number)
                                            : read_old_list(&tables, number, false);
    return entry.name;
}

/// Adds a part behind a slash. Returns false where it does not fit.
static bool append(char *path, size_t size, size_t *count, const char *part) {
    size_t length = strlen(part);
    bool needs_slash = *count > 0 && path[*count - 1] != '/';
    if (length + needs_slash >= size - *count) {
        return false;
    }
    if (needs_slash) {
        path[(*count)++] = '/';
    }
    memcpy(path + *count, part, length + 1);
    *count += length;
    return true;
}

bool cwinnow_line_unit_path(const cwinnow_elf *elf, const cwinnow_line_unit *unit, uint64_t file,
                            char *ret_path, size_t size) {
    struct entry entry = find_file(elf, unit, file);
    if (entry.name == NULL) {
        return false;
    }
    size_t count = 0;
    const char *folder = entry.name[0] == '/' ? NULL : find_folder(elf, unit, entry.folder);
    // Folder 0 is where the compiler ran; before DWARF 5 the table does not say where.
    bool is_relative = folder != NULL && folder[0] != '/' && unit->version >= 5 && entry.folder > 0;
    const char *root = is_relative ? find_folder(elf, unit, 0) : NULL;
    return (root == NULL || append(ret_path, size, &count, root)) &&
           (folder == NULL || append(ret_path, size, &count, folder)) &&
           append(ret_path, size, &count, entry.name);
}

uint64_t cwinnow_line_unit_primary(const cwinnow_line_unit *unit) {
    return unit->version >= 5 ? 0 : 1;
}
