// SPDX-License-Identifier: Apache-2.0

/// Words that threads sleep on, futex(2): by syscall(2), in which no thread is cancelled, and which the
/// handler of a signal may call.

#ifndef CWINNOW_FUTEX_H
#define CWINNOW_FUTEX_H

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "CWinnowThread.h"

/// Returns the time on CLOCK_MONOTONIC when so many nanoseconds have passed. MT-Safe, AS-Safe.
static inline struct timespec cwinnow_futex_deadline(uint64_t nanoseconds) {
    struct timespec deadline;
    clock_gettime(CLOCK_MONOTONIC, &deadline);
    uint64_t sum = (uint64_t)deadline.tv_nsec + nanoseconds % 1000000000u;
    deadline.tv_sec += (time_t)(nanoseconds / 1000000000u + sum / 1000000000u);
    deadline.tv_nsec = (long)(sum % 1000000000u);
    return deadline;
}

/// Sleeps while the word has the value, until the deadline on CLOCK_MONOTONIC; NULL is none. Returns
/// whether it has not passed: it may return early. MT-Safe, AS-Safe.
static inline bool cwinnow_futex_sleep_while(
    uint32_t *word, uint32_t value, const struct timespec *deadline) {
    cwinnow_waits_of_thread++;
    long result = syscall(SYS_futex, word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, value, deadline,
        NULL, FUTEX_BITSET_MATCH_ANY);
    cwinnow_waits_of_thread--;
    return result == 0 || errno != ETIMEDOUT;
}

/// Wakes so many of those that sleep on the word. MT-Safe, AS-Safe.
static inline void cwinnow_futex_wake(uint32_t *word, int count) {
    syscall(SYS_futex, word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, count, NULL, NULL, 0);
}

#endif
