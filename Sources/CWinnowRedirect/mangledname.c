// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "mangledname.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "name.h"

/// The demangler of the Swift runtime; weak, so that a program without that runtime can be linked.
/// Source: swift/stdlib/public/runtime/Demangle.cpp
extern char *swift_demangle(const char *symbol, size_t count, char *output, size_t *size,
                            uint32_t flags) __attribute__((weak));

#pragma GCC visibility push(protected)

/// Takes an identifier, which is its length and its bytes, off the front of a mangled name. Returns
/// its length and leaves the name behind it, or 0 where there is none.
static size_t take_identifier(const char **name, const char **ret_identifier) {
    const char *at = *name;
    size_t count = 0;
    if (*at == '0') {
        return 0; // with a substitution, or in Punycode: the demangler's
    }
    while (*at >= '0' && *at <= '9' && count < 10000) {
        count = count * 10 + (size_t)(*at++ - '0');
    }
    if (count == 0 || strnlen(at, count) < count) {
        return 0;
    }
    *ret_identifier = at;
    *name = at + count;
    return count;
}

/// Finds the last place of a text.
static const char *find_last(const char *text, const char *part) {
    const char *last = NULL;
    for (const char *found = strstr(text, part); found != NULL; found = strstr(found + 1, part)) {
        last = found;
    }
    return last;
}

/// Finds the module in what the demangler says: of an extension of another module's type, or of the
/// conformance of one, whose witness may have been compiled into the thunk.
static bool find_in_demangled(const char *text, char ret_name[CWINNOW_ORIGIN_NAME_SIZE]) {
    static const char extension[] = "(extension in ", conformance[] = "protocol witness for ";
    const char *start = strstr(text, extension);
    size_t count = 0;
    if (start != NULL) {
        start += sizeof extension - 1;
        count = strcspn(start, ")");
    } else if (strncmp(text, conformance, sizeof conformance - 1) == 0 &&
               (start = find_last(text, " in ")) != NULL) {
        start += 4;
        count = strlen(start);
    } else {
        // A module whose name is not ASCII stands in front, in Punycode as it was mangled.
        count = strcspn(text, " .(<");
        start = count > 0 && text[count] == '.' && (text[0] & 0x80) != 0 ? text : NULL;
    }
    if (start == NULL || count == 0) {
        return false;
    }
    cwinnow_name_write(ret_name, start, count);
    return true;
}

cwinnow_mangling cwinnow_mangled_module(
    const char *symbol, char ret_name[CWINNOW_ORIGIN_NAME_SIZE]) {
    if (symbol[0] != '$' || (symbol[1] != 's' && symbol[1] != 'S' && symbol[1] != 'e')) {
        return cwinnow_mangling_none;
    }
    const char *rest = symbol + 2;
    const char *identifier;
    size_t count = take_identifier(&rest, &identifier);
    if (count > 0) {
        cwinnow_name_write(ret_name, identifier, count);
        return cwinnow_mangling_module;
    }
    if (swift_demangle == NULL) {
        return cwinnow_mangling_glue;
    }
    char *text = swift_demangle(symbol, strlen(symbol), NULL, NULL, 0);
    if (text == NULL) {
        return cwinnow_mangling_glue;
    }
    bool is_found = find_in_demangled(text, ret_name);
    free(text);
    return is_found ? cwinnow_mangling_module : cwinnow_mangling_glue;
}

/// Writes `c:` and a name.
static void write_function(
    const char *name, size_t count, char ret_name[CWINNOW_ORIGIN_NAME_SIZE]) {
    // Twice the room: two bytes may become one `?`.
    char text[2 * CWINNOW_ORIGIN_NAME_SIZE] = "c:";
    size_t kept = count < sizeof text - 2 ? count : sizeof text - 2;
    memcpy(text + 2, name, kept);
    cwinnow_name_write(ret_name, text, kept + 2);
}

void cwinnow_mangled_scope(const char *symbol, char ret_name[CWINNOW_ORIGIN_NAME_SIZE]) {
    static const char unnamed[] = "_GLOBAL__N_";
    const char *rest = symbol;
    bool is_cxx = strncmp(symbol, "_Z", 2) == 0;
    if (is_cxx) {
        rest += 2;
        rest += strspn(rest, "Z"); // a name within a function is in the scope of the function
    }
    bool is_nested = is_cxx && *rest == 'N';
    if (is_cxx) {
        rest += is_nested;
        rest += strspn(rest, is_nested ? "rVKRO" : "L");
    }
    const char *identifier = NULL;
    size_t count = is_cxx ? take_identifier(&rest, &identifier) : 0;
    if (count >= sizeof unnamed - 1 && memcmp(identifier, unnamed, sizeof unnamed - 1) == 0) {
        count = take_identifier(&rest, &identifier);
        // What is in an unnamed namespace is in a scope only if another name follows.
        is_nested = is_nested && *rest != 'E' && *rest != 'I';
    }
    if (count == 0) {
        write_function(symbol, is_cxx ? strlen(symbol) : strcspn(symbol, "."), ret_name);
    } else if (is_nested) {
        cwinnow_name_write(ret_name, identifier, count);
    } else {
        write_function(identifier, count, ret_name);
    }
}
