// SPDX-License-Identifier: Apache-2.0

/// The stamps of records in rings: what the worker merges them by, and turns into the time.
///
/// The time stamp counter of the processor, where the kernel itself trusts it as its clock: a third
/// of what clock_gettime(2) costs, most of which is the fence in front of it. Without the fence two
/// threads that log within less than some ten nanoseconds of each other, one because of the other,
/// may come in the other order; a thread's own records never do. Elsewhere the nanoseconds since
/// 1970. It is one or the other for the whole life of a process, its children included.
///
/// Source: hot-path study, "Traps found in Swift"; Intel SDM volume 3, 18.17 (invariant TSC).

#ifndef CWINNOW_STAMP_H
#define CWINNOW_STAMP_H

#include <stdbool.h>
#include <stdint.h>

#include "CWinnowClock.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Whether stamps are ticks of the time stamp counter. Written before the first stamp.
extern uint32_t cwinnow_stamp_is_counter;

/// Returns whether stamps are ticks of the time stamp counter. MT-Safe, AS-Safe.
static inline bool cwinnow_stamp_counts(void) {
    return __atomic_load_n(&cwinnow_stamp_is_counter, __ATOMIC_RELAXED) != 0;
}

/// Returns a stamp where stamps are ticks of the time stamp counter. MT-Safe, AS-Safe.
__attribute__((always_inline)) static inline uint64_t cwinnow_stamp_ticks(void) {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    return 0;
#endif
}

/// Returns a stamp. MT-Safe, AS-Safe.
__attribute__((always_inline)) static inline uint64_t cwinnow_stamp(void) {
    return cwinnow_stamp_counts() ? cwinnow_stamp_ticks() : cwinnow_clock_realtime();
}

/// One moment, as a stamp and in nanoseconds.
typedef struct cwinnow_moment {
    uint64_t stamp;
    /// The clocks of clock_gettime(2), in nanoseconds.
    uint64_t monotonic, realtime;
} cwinnow_moment;

/// Decides once what stamps are. MT-Safe, AS-Unsafe.
void cwinnow_stamp_prepare(void);
/// Returns a stamp that is taken behind all loads before the call and ahead of all behind it.
/// MT-Safe, AS-Safe.
uint64_t cwinnow_stamp_in_order(void);
/// Reads the stamp and both clocks within a microsecond where the thread is not interrupted; of
/// four attempts, the one that took the shortest time. MT-Safe, AS-Safe.
cwinnow_moment cwinnow_stamp_moment(void);

#ifdef __cplusplus
}
#endif

#endif
