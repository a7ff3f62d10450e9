// SPDX-License-Identifier: Apache-2.0

/// The clocks: Swift's own cost an allocation or a conversion that the hot path cannot afford.

#ifndef CWINNOW_CLOCK_H
#define CWINNOW_CLOCK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A broken-down local time.
typedef struct cwinnow_local_time {
    int32_t year, month, day, hour, minute, second;
    /// Seconds east of UTC.
    int32_t offset;
} cwinnow_local_time;

/// Returns the nanoseconds since 1970, CLOCK_REALTIME of clock_gettime(2). MT-Safe, AS-Safe.
uint64_t cwinnow_clock_realtime(void);

/// Returns the nanoseconds of CLOCK_MONOTONIC. MT-Safe, AS-Safe.
uint64_t cwinnow_clock_monotonic(void);

/// Returns the nanoseconds of CLOCK_BOOTTIME, which goes on while the machine sleeps. MT-Safe, AS-Safe.
uint64_t cwinnow_clock_boottime(void);

/// Returns the nanoseconds of CLOCK_REALTIME_COARSE, which is behind by up to 10 ms and takes a tenth
/// of the time. MT-Safe, AS-Safe.
uint64_t cwinnow_clock_coarse(void);

/// Breaks seconds since 1970 down in the local time zone, localtime_r(3); returns 0 or -errno.
/// MT-Safe env locale, AS-Unsafe lock heap.
int32_t cwinnow_clock_local(int64_t seconds, cwinnow_local_time *_Nonnull ret_time);

/// Whether the kernel's clock follows a source of time outside, adjtimex(2): 1, or 0 where it does
/// not; -errno where it does not say, as in some sandboxes. MT-Safe, AS-Safe.
int32_t cwinnow_clock_is_synchronized(void);

#ifdef __cplusplus
}
#endif

#endif
