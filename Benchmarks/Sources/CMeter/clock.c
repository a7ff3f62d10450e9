// SPDX-License-Identifier: Apache-2.0

#include "CMeter.h"

#include <sys/resource.h>

void cmeter_read_clock(int64_t count) {
    for (int64_t index = 0; index < count; index++) {
        uint64_t now = cmeter_clock(CLOCK_REALTIME);
        __asm__ volatile("" : : "r"(now));
    }
}

void cmeter_read_counter(int64_t count) {
    for (int64_t index = 0; index < count; index++) {
#if defined(__x86_64__)
        uint64_t now = __rdtsc();
#else
        uint64_t now = cmeter_ticks();
#endif
        __asm__ volatile("" : : "r"(now));
    }
}

void cmeter_pause(uint64_t nanoseconds) {
    struct timespec time = {
        .tv_sec = (time_t)(nanoseconds / 1000000000u),
        .tv_nsec = (long)(nanoseconds % 1000000000u),
    };
    clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

void cmeter_spin(uint64_t nanoseconds) {
    uint64_t end = cmeter_clock(CLOCK_MONOTONIC) + nanoseconds;
    while (cmeter_clock(CLOCK_MONOTONIC) < end) {
    }
}

int64_t cmeter_page_faults(void) {
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_minflt : -1;
}
