// SPDX-License-Identifier: Apache-2.0

/// What all threads read with each call: how it is delivered, and of which run it is.
///
/// It lies in a page of its own. Where the process records, that page is wiped in its children, so that a child which
/// nobody was told of takes the long way and is found there.

#ifndef CWINNOW_DELIVERY_H
#define CWINNOW_DELIVERY_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Whether the worker sleeps, and how.
enum cwinnow_worker_sleep {
    cwinnow_worker_awake = 0,
    /// Until a record, or what else there is to do, wakes it.
    cwinnow_worker_asleep = 1,
    /// For a part of a millisecond: a record is left for it to find.
    cwinnow_worker_napping = 2,
    /// There is none, in this process.
    cwinnow_worker_absent = 5,
};

/// What all threads read with each call.
typedef struct cwinnow_delivery {
    /// The number of the configuration, where it delivers deferred and a call may write to its ring
    /// at once; else 0.
    uint32_t gate;
    /// The number of the configuration, where it delivers deferred; else 0.
    uint32_t epoch;
    /// Whether every call must take the long way.
    uint32_t detour;
    /// One of `cwinnow_worker_sleep`: what the worker's futex is about.
    uint32_t sleep;
    /// The identity of the run, while records need not ask for it; else 0.
    uint32_t run;
    /// Not 0 while the page is this process's own: see `cwinnow_delivery_isolate`.
    uint32_t is_own;
    uint32_t padding[26];
} cwinnow_delivery;

// Hidden: the library is one image, and finds it without the table of addresses.
extern cwinnow_delivery cwinnow_process_delivery __attribute__((visibility("hidden")));

/// Returns the number of the configuration, 0 where it delivers at once. MT-Safe, AS-Safe.
static inline uint32_t cwinnow_delivery_epoch(void) {
    return __atomic_load_n(&cwinnow_process_delivery.epoch, __ATOMIC_RELAXED);
}

/// Sets the number of the configuration. MT-Safe, AS-Safe.
static inline void cwinnow_delivery_set_epoch(uint32_t epoch) {
    __atomic_store_n(&cwinnow_process_delivery.epoch, epoch, __ATOMIC_RELEASE);
    __atomic_store_n(&cwinnow_process_delivery.gate, epoch, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&cwinnow_process_delivery.detour, __ATOMIC_SEQ_CST) != 0) {
        __atomic_store_n(&cwinnow_process_delivery.gate, 0, __ATOMIC_SEQ_CST);
    }
}

/// Returns the identity of the run, while records need not ask for it; else 0. MT-Safe, AS-Safe.
static inline uint32_t cwinnow_delivery_run(void) {
    return __atomic_load_n(&cwinnow_process_delivery.run, __ATOMIC_RELAXED);
}

/// Sets the identity of the run, or has records ask for it. MT-Safe, AS-Safe.
static inline void cwinnow_delivery_set_run(uint32_t run) {
    __atomic_store_n(&cwinnow_process_delivery.run, run, __ATOMIC_SEQ_CST);
}

/// Has all of it be zero in any child of this process, so that calls take the long way there; false where the kernel
/// cannot. Before the first record, by one thread.
bool cwinnow_delivery_isolate(void);
/// Whether this is such a child, and still has what the parent's threads share. MT-Safe, AS-Safe.
bool cwinnow_delivery_is_parents(void);
/// Makes it this process's own: in such a child.
void cwinnow_delivery_forget_parent(void);

/// Has every call take the long way, for good. MT-Safe, AS-Safe.
static inline void cwinnow_delivery_set_detour(void) {
    __atomic_store_n(&cwinnow_process_delivery.detour, 1, __ATOMIC_SEQ_CST);
    __atomic_store_n(&cwinnow_process_delivery.gate, 0, __ATOMIC_SEQ_CST);
}

#ifdef __cplusplus
}
#endif

#endif
