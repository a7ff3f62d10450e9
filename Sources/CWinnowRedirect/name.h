// SPDX-License-Identifier: Apache-2.0

/// The name of an origin, which comes from files and symbols and may be any bytes.

#ifndef CWINNOW_NAME_H
#define CWINNOW_NAME_H

#include <stddef.h>

#include "CWinnowOrigin.h"

/// Writes a name of at most 119 bytes of valid UTF-8, cut at the end of a character; `?` stands for a
/// control character and for each byte that belongs to no character. MT-Safe, AS-Safe.
void cwinnow_name_write(
    char name[CWINNOW_ORIGIN_NAME_SIZE], const char *bytes, size_t byte_count);

#endif
