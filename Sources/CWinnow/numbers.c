// SPDX-License-Identifier: Apache-2.0

#include "CWinnowNumbers.h"

#pragma GCC visibility push(protected)

// In lines of their own, as every thread that logs writes here.
uint64_t cwinnow_numbers[cwinnow_numbers_count] __attribute__((aligned(128)));

void cwinnow_numbers_reset(void) {
    for (int kind = 0; kind < cwinnow_numbers_count; kind++) {
        __atomic_store_n(&cwinnow_numbers[kind], 0, __ATOMIC_RELAXED);
    }
}
