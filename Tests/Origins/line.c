// SPDX-License-Identifier: Apache-2.0

/// Prints the origin of a function of its own, as the line table has it.

#include <CWinnowOrigin.h>
#include <stdio.h>

__attribute__((noinline)) static uint32_t ask(void) {
    return cwinnow_origin_of(__builtin_frame_address(0));
}

__attribute__((noinline)) uint32_t speak(void) {
    uint32_t number = ask();
    __asm__ volatile("" ::: "memory");
    return number;
}

int main(void) {
    cwinnow_origins_prepare();
    const cwinnow_origin *origin = cwinnow_origin_at(speak());
    printf("%s by %d\n", origin->name, (int)origin->evidence);
    return 0;
}
