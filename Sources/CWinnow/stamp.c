// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CWinnowStamp.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "CWinnowThread.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#pragma GCC visibility push(protected)

uint32_t cwinnow_stamp_is_counter;

/// The attempts to read the clocks without an interruption, and the ticks that are soon enough.
#define ATTEMPTS 4
#define SOON 2000

#if defined(__x86_64__)

/// Whether the counter runs at one rate in all states of the processor: leaf 8000_0007H of CPUID.
static bool is_invariant(void) {
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d & (1u << 8)) != 0;
}

/// Whether the kernel has found the counters of all processors in step, and takes its time from them.
static bool is_clock_of_kernel(void) {
    static const char path[] = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    char name[8];
    ssize_t count = read(file, name, sizeof name);
    close(file);
    return count == 4 && memcmp(name, "tsc\n", 4) == 0;
}

static void decide(void) {
    int saved = errno;
    // The lock of the worker's start is held.
    int32_t cancellation = cwinnow_cancellation_put_off();
    __atomic_store_n(
        &cwinnow_stamp_is_counter, is_invariant() && is_clock_of_kernel(), __ATOMIC_RELAXED);
    cwinnow_cancellation_restore(cancellation);
    errno = saved;
}

void cwinnow_stamp_prepare(void) {
    static pthread_once_t is_decided = PTHREAD_ONCE_INIT;
    pthread_once(&is_decided, decide);
}

uint64_t cwinnow_stamp_in_order(void) {
    __asm__ volatile("lfence" ::: "memory");
    uint64_t stamp = cwinnow_stamp();
    __asm__ volatile("lfence" ::: "memory");
    return stamp;
}

#else

void cwinnow_stamp_prepare(void) {
}

uint64_t cwinnow_stamp_in_order(void) {
    return cwinnow_stamp();
}

#endif

cwinnow_moment cwinnow_stamp_moment(void) {
    cwinnow_moment best = {0};
    uint64_t shortest = UINT64_MAX;
    for (int attempt = 0; attempt < ATTEMPTS && shortest > SOON; attempt++) {
        cwinnow_moment moment = {0};
        uint64_t before = cwinnow_stamp_in_order();
        moment.monotonic = cwinnow_clock_monotonic();
        moment.stamp = cwinnow_stamp_in_order();
        moment.realtime = cwinnow_clock_realtime();
        uint64_t took = cwinnow_stamp_in_order() - before;
        if (took < shortest) {
            shortest = took;
            best = moment;
        }
    }
    return best;
}
