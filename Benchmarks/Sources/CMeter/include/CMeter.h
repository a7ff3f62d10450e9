// SPDX-License-Identifier: Apache-2.0

/// What the measuring needs of C: a clock without a call, malloc(3) counted, sockets.

#ifndef CMETER_H
#define CMETER_H

// clockid_t is POSIX, not C.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/// Returns the nanoseconds of a clock of clock_gettime(2).
static inline uint64_t cmeter_clock(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/// Returns the time stamp counter; what stands before it in the program is done by then.
///
/// Elsewhere than on x86-64 it counts nanoseconds.
static inline uint64_t cmeter_ticks(void) {
#if defined(__x86_64__)
    _mm_lfence();
    uint64_t ticks = __rdtsc();
    _mm_lfence();
    return ticks;
#else
    return cmeter_clock(CLOCK_MONOTONIC);
#endif
}

/// Reads the clock that a record's time is, so many times.
void cmeter_read_clock(int64_t count);
/// Reads the time stamp counter as it stands, so many times.
void cmeter_read_counter(int64_t count);

/// Returns how often this thread has called malloc(3) and its like.
uint64_t cmeter_allocations(void);

/// Returns the page faults that this thread has taken.
int64_t cmeter_page_faults(void);

/// Sleeps for the time.
void cmeter_pause(uint64_t nanoseconds);
/// Keeps the processor busy for the time.
void cmeter_spin(uint64_t nanoseconds);

/// Writes the bytes so many times, each time with one write(2); returns 0 or an errno value.
int32_t cmeter_write(int32_t descriptor, const void *bytes, int64_t byte_count, int64_t count);

/// Returns whether somebody takes datagrams at the path.
bool cmeter_is_listening(const char *path);
/// Makes a socket that takes datagrams at the path; returns its descriptor, or -errno.
int32_t cmeter_listen(const char *path);
/// Has a thread read the descriptor until it ends, and forget what it read; returns 0 or an errno
/// value.
int32_t cmeter_read_away(int32_t descriptor);

/// Makes a pair of datagram sockets, at whose reading end the kernel says when each datagram came;
/// returns 0 or an errno value.
int32_t cmeter_stamped_pair(int32_t *ret_reading, int32_t *ret_writing);
/// Receives a datagram that is there, and its time, in nanoseconds of CLOCK_REALTIME; returns how many
/// bytes it has, or -errno.
///
/// The kernel reads its clock while it sends, before it wakes a reader: SO_TIMESTAMPNS of socket(7).
int64_t cmeter_receive(int32_t descriptor, void *bytes, int64_t byte_count, uint64_t *ret_stamp);

/// Returns the name of the file system that a path lies in, or its number.
const char *cmeter_file_system(const char *path);
/// Returns the version of the C library.
const char *cmeter_libc_version(void);

#endif
