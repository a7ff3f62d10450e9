// SPDX-License-Identifier: Apache-2.0

/// A shared object that is loaded and unloaded.

#include <stdint.h>

uint32_t call(uint32_t (*function)(void)) {
    uint32_t number = function();
    __asm__ volatile("" ::: "memory");
    return number;
}
