// SPDX-License-Identifier: Apache-2.0

#include "CWinnowStatement.h"

#include <elf.h>

#pragma GCC visibility push(protected)

_Static_assert(sizeof(cwinnow_statement) == 16, "the layout is one without padding");

/// The note by which `winnow stripped` knows a program with Winnow, also one without a statement.
///
/// Source: elf(5), "Notes (Nhdr)".
__attribute__((section(".note.winnow"), used, retain, aligned(4))) static const struct {
    Elf64_Nhdr header;
    char owner[8];
    uint32_t version;
} note = {
    .header = {.n_namesz = sizeof "Winnow", .n_descsz = sizeof(uint32_t), .n_type = 1},
    .owner = "Winnow",
    .version = CWINNOW_STATEMENTS_VERSION,
};
