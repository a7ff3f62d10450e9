// SPDX-License-Identifier: Apache-2.0

/// How the worker of deferred delivery sleeps, and how a call wakes it.
///
/// A call reads how asleep the worker is without a fence behind its record, so the worker has the kernel
/// fence for all threads before it sleeps: membarrier(2), for which the process registers once. Swift has
/// neither these system calls nor atomics at an address that C shares.

#ifndef CWINNOW_WORKER_H
#define CWINNOW_WORKER_H

#include <stdbool.h>
#include <stdint.h>

#include "CWinnowRing.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Returns one of `cwinnow_worker_sleep`, after a fence. MT-Safe, AS-Safe.
static inline uint32_t cwinnow_worker_state(void) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return __atomic_load_n(&cwinnow_process_delivery.sleep, __ATOMIC_RELAXED);
}

/// Says how asleep the worker is; every record that was published by a call which has not seen it
/// is visible when this returns. For the worker. MT-Safe, AS-Unsafe.
void cwinnow_worker_set_state(uint32_t state);
/// Waits while the state is the given one, at most for the time; 0 is for ever. MT-Safe.
void cwinnow_worker_wait(uint32_t state, uint64_t nanoseconds);
/// Wakes the worker, asleep or napping; keeps errno. MT-Safe, AS-Safe.
void cwinnow_worker_wake(void);
/// Has the worker look at its state again; keeps errno. MT-Safe, AS-Safe.
///
/// For a caller that waits for the worker: of two threads that wake it, the second leaves it to the
/// first, which may have been stopped in between, by the handler of a signal that waits for the caller.
void cwinnow_worker_notify(void);
/// Registers the process for membarrier(2), or makes every call fence instead: before the worker says for the
/// first time that it is asleep. Waits for the kernel, for some milliseconds if the process has more threads.
/// AS-Unsafe.
void cwinnow_worker_prepare(void);
/// Whether the process is registered, or every call fences. MT-Safe, AS-Safe.
bool cwinnow_worker_is_prepared(void);
/// Registers the process if it has one thread, for which the kernel waits for nothing; keeps errno. For
/// whoever sets deferred delivery, or starts the worker. AS-Unsafe.
void cwinnow_worker_prepare_alone(void);
/// Forgets the worker, and has the child of a fork register anew. AS-Unsafe.
void cwinnow_worker_forget_parent(void);

#ifdef __cplusplus
}
#endif

#endif
