// SPDX-License-Identifier: Apache-2.0

#include "CWinnowCategory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "CWinnowCursor.h"
#include "CWinnowHarmless.h"
#include "control.h"

#pragma GCC visibility push(protected)

/// What precedes a name in its column, and follows it.
static const char before[] = "[";
static const char behind[] = "] ";
enum {
    before_length = sizeof before - 1,
    behind_length = sizeof behind - 1,
};

_Static_assert(sizeof(cwinnow_cell) == sizeof(cwinnow_category), "one offset does for both");
cwinnow_category cwinnow_categories[cwinnow_control_cell_capacity];

// Fills the room for a column, of `column_size`, and returns what stands there.
static cwinnow_category make_column(uint8_t *column, const uint8_t *name, size_t length) {
    size_t column_length = length == 0 ? 0 : before_length + length + behind_length;
    uint8_t *copy = column + before_length;
    size_t harmless = length == 0 ? 0 : cwinnow_harmless_copy_line(copy, name, length);
    if (length > 0) {
        memcpy(copy, name, length);
    }
    memcpy(column, before, before_length);
    memcpy(copy + length, behind, behind_length);
    bool has_column = harmless == length && column_length <= CWINNOW_SHORT_TEXT;
    return (cwinnow_category){
        .name = copy,
        .name_length = (uint32_t)length,
        .column_length = has_column ? (uint32_t)column_length : CWINNOW_NO_COLUMN,
    };
}

static size_t column_size(size_t length) {
    return before_length + length + behind_length;
}

cwinnow_cell *cwinnow_category_make(const uint8_t *name, size_t length) {
    cwinnow_cell_of_its_own *made = malloc(sizeof *made + column_size(length));
    if (made == NULL) {
        return NULL;
    }
    made->cell = (cwinnow_cell){0};
    made->category = make_column((uint8_t *)(made + 1), name, length);
    return &made->cell;
}

cwinnow_cell *cwinnow_category_register(const uint8_t *name, size_t length) {
    if (!cwinnow_control_has_room(length)) {
        return cwinnow_category_make(name, length);
    }
    uint8_t *column = malloc(column_size(length));
    if (column == NULL) {
        return NULL;
    }
    cwinnow_cell *cell = cwinnow_control_add(name, length);
    cwinnow_categories[cell - cwinnow_control_cells()] = make_column(column, name, length);
    return cell;
}
