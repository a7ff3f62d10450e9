// SPDX-License-Identifier: Apache-2.0

#include "CWinnowNumbers.h"

#pragma GCC visibility push(protected)

// A page, as every thread that logs writes here, and a recorder has its file in the place of it.
static union {
    uint64_t numbers[cwinnow_numbers_count];
    uint8_t page[4096];
} own __attribute__((aligned(4096), used));
extern uint64_t cwinnow_numbers[cwinnow_numbers_count] __attribute__((alias("own")));

void cwinnow_numbers_reset(void) {
    for (int kind = 0; kind < cwinnow_numbers_count; kind++) {
        __atomic_store_n(&cwinnow_numbers[kind], 0, __ATOMIC_RELAXED);
    }
}
