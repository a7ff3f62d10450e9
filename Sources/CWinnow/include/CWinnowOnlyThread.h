// SPDX-License-Identifier: Apache-2.0

/// What a process with one thread need not pay: the lock of the bus.
///
/// A locked instruction waits until all that was written before is in the cache, some 20 cycles,
/// and an immediate record has four. glibc's own locks leave it out where there is one thread, and
/// so do these functions: by one instruction each without the lock, so that the handler of a signal
/// comes before it or behind it. Who finds the thread to be the only one can trust it for as long
/// as it starts none.
///
/// Source: sys/single_threaded.h, glibc 2.32; Intel SDM volume 3, 9.1.

#ifndef CWINNOW_ONLY_THREAD_H
#define CWINNOW_ONLY_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__) && __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define CWINNOW_KNOWS_ONLY_THREAD 1
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// Returns whether the process has no other thread. MT-Safe, AS-Safe.
__attribute__((always_inline)) static inline bool cwinnow_thread_is_only(void) {
#ifdef CWINNOW_KNOWS_ONLY_THREAD
    return __libc_single_threaded;
#else
    return false;
#endif
}

/// Puts a value in the place of the expected one; returns whether that was there. For the only thread.
/// AS-Safe.
__attribute__((always_inline)) static inline bool
cwinnow_exchange_alone(uint32_t *_Nonnull word, uint32_t expected, uint32_t value) {
#ifdef CWINNOW_KNOWS_ONLY_THREAD
    uint32_t found = expected;
    __asm__ volatile("cmpxchgl %2, %1" : "+a"(found), "+m"(*word) : "r"(value) : "cc", "memory");
    return found == expected;
#else
    return __atomic_compare_exchange_n(word, &expected, value, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
#endif
}

/// Adds to a counter, and returns what it is then. For the only thread. AS-Safe.
__attribute__((always_inline)) static inline uint64_t
cwinnow_add_alone(uint64_t *_Nonnull counter, uint64_t count) {
#ifdef CWINNOW_KNOWS_ONLY_THREAD
    uint64_t before = count;
    __asm__ volatile("xaddq %0, %1" : "+r"(before), "+m"(*counter) : : "cc");
    return before + count;
#else
    return __atomic_add_fetch(counter, count, __ATOMIC_RELAXED);
#endif
}

#ifdef __cplusplus
}
#endif

#endif
