// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CWinnowClock.h"

#include <errno.h>
#include <sys/timex.h>
#include <time.h>

#pragma GCC visibility push(protected)

static uint64_t nanoseconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t cwinnow_clock_realtime(void) {
    return nanoseconds(CLOCK_REALTIME);
}

uint64_t cwinnow_clock_monotonic(void) {
    return nanoseconds(CLOCK_MONOTONIC);
}

uint64_t cwinnow_clock_boottime(void) {
    return nanoseconds(CLOCK_BOOTTIME);
}

uint64_t cwinnow_clock_coarse(void) {
    return nanoseconds(CLOCK_REALTIME_COARSE);
}

int32_t cwinnow_clock_local(int64_t seconds, cwinnow_local_time *ret_time) {
    time_t time = (time_t)seconds;
    struct tm local;
    if (localtime_r(&time, &local) == NULL) {
        return -errno;
    }
    *ret_time = (cwinnow_local_time){
        .year = local.tm_year + 1900,
        .month = local.tm_mon + 1,
        .day = local.tm_mday,
        .hour = local.tm_hour,
        .minute = local.tm_min,
        .second = local.tm_sec,
        .offset = (int32_t)local.tm_gmtoff,
    };
    return 0;
}

int32_t cwinnow_clock_is_synchronized(void) {
    struct timex clock = {.modes = 0};
    if (adjtimex(&clock) < 0) {
        return -errno;
    }
    return (clock.status & STA_UNSYNC) == 0;
}
