// SPDX-License-Identifier: Apache-2.0

/// How the control page is filled.

#ifndef CWINNOW_CONTROL_FILLING_H
#define CWINNOW_CONTROL_FILLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CWinnowControl.h"

/// Whether there is room for one more category. One thread at a time, as for the next.
bool cwinnow_control_has_room(size_t name_length);

/// Adds the cell of a category, for which there is room.
cwinnow_cell *cwinnow_control_add(const uint8_t *name, size_t name_length);

#endif
