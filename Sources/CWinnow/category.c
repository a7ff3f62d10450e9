// SPDX-License-Identifier: Apache-2.0

#include "CWinnowCategory.h"

#include <stdlib.h>
#include <string.h>

cwinnow_category cwinnow_default_category = {
    .mask = CWINNOW_MASK_INITIAL,
    .name_length = 0,
    .name = (const uint8_t *)"",
};

cwinnow_category *cwinnow_category_make(const uint8_t *name, size_t length) {
    cwinnow_category *category = malloc(sizeof *category + length);
    if (category == NULL) {
        return NULL;
    }
    uint8_t *copy = (uint8_t *)(category + 1);
    if (length > 0) {
        memcpy(copy, name, length);
    }
    category->mask = CWINNOW_MASK_INITIAL;
    category->name_length = (uint32_t)length;
    category->name = copy;
    return category;
}
