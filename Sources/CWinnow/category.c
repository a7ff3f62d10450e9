// SPDX-License-Identifier: Apache-2.0

#include "CWinnowCategory.h"

#include <stdlib.h>
#include <string.h>

#include "CWinnowCursor.h"
#include "CWinnowHarmless.h"

#pragma GCC visibility push(protected)

/// What precedes a name in its column, and follows it.
static const char before[] = "[";
static const char behind[] = "] ";
enum {
    before_length = sizeof before - 1,
    behind_length = sizeof behind - 1,
};

cwinnow_category cwinnow_default_category = {
    .mask = CWINNOW_MASK_INITIAL,
    .name_length = 0,
    .name = (const uint8_t *)"",
    .column = (const uint8_t *)"",
    .column_length = 0,
};

cwinnow_category *cwinnow_category_make(const uint8_t *name, size_t length) {
    size_t column_length = length == 0 ? 0 : before_length + length + behind_length;
    cwinnow_category *category = malloc(sizeof *category + before_length + length + behind_length);
    if (category == NULL) {
        return NULL;
    }
    uint8_t *column = (uint8_t *)(category + 1);
    uint8_t *copy = column + before_length;
    size_t harmless = length == 0 ? 0 : cwinnow_harmless_copy_line(copy, name, length);
    if (length > 0) {
        memcpy(copy, name, length);
    }
    memcpy(column, before, before_length);
    memcpy(copy + length, behind, behind_length);
    bool has_column = harmless == length && column_length <= CWINNOW_SHORT_TEXT;
    category->mask = CWINNOW_MASK_INITIAL;
    category->name_length = (uint32_t)length;
    category->name = copy;
    category->column = has_column ? column : NULL;
    category->column_length = has_column ? column_length : 0;
    return category;
}
