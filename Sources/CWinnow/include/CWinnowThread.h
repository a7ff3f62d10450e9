// SPDX-License-Identifier: Apache-2.0

/// Threads, locks and fork: what a logger must own to survive fork(2) and the end of a thread.
///
/// The locks are C's because Swift's `Mutex` is a PI futex that remembers the thread's id, and
/// cannot be given back in the child of a fork.

#ifndef CWINNOW_THREAD_H
#define CWINNOW_THREAD_H

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CWinnowOnlyThread.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A lock: a word for futex(2), free at first.
///
/// Not pthread_mutex_t, which costs each record a hundred instructions where nobody waits for it, a
/// tenth of what its line costs.
///
/// Source: Ulrich Drepper, "Futexes Are Tricky", the second mutex.
typedef struct cwinnow_lock {
    /// One of `cwinnow_lock_state`.
    uint32_t state;
    /// Counts the calls of `cwinnow_lock_wake`.
    uint32_t wakes;
} cwinnow_lock;

enum cwinnow_lock_state {
    cwinnow_lock_free_now = 0,
    cwinnow_lock_held = 1,
    /// Held, and others may wait for it.
    cwinnow_lock_awaited = 2,
};

/// Makes a lock, which `cwinnow_lock_free` frees; aborts if memory has run out. AS-Unsafe heap.
cwinnow_lock *_Nonnull cwinnow_lock_make(void);
/// Frees a lock that nobody holds. AS-Unsafe heap.
void cwinnow_lock_free(cwinnow_lock *_Nonnull lock);
/// Waits for a lock that another thread holds, and acquires it; false when the time has passed, which
/// for `UINT64_MAX` it never has. MT-Safe, AS-Unsafe lock.
bool cwinnow_lock_await(cwinnow_lock *_Nonnull lock, uint64_t nanoseconds);
/// Wakes one of the threads that wait for the lock, which has become free. MT-Safe, AS-Safe.
void cwinnow_lock_pass_on(cwinnow_lock *_Nonnull lock);

/// Acquires the lock where it is free now. MT-Safe, AS-Unsafe lock.
__attribute__((always_inline)) static inline bool cwinnow_lock_try(cwinnow_lock *_Nonnull lock) {
    if (cwinnow_thread_is_only()) {
        return cwinnow_exchange_alone(&lock->state, cwinnow_lock_free_now, cwinnow_lock_held);
    }
    uint32_t expected = cwinnow_lock_free_now;
    return __atomic_compare_exchange_n(&lock->state, &expected, cwinnow_lock_held, false,
        __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/// Acquires the lock, and waits for it. MT-Safe, AS-Unsafe lock.
__attribute__((always_inline)) static inline void
cwinnow_lock_acquire(cwinnow_lock *_Nonnull lock) {
    if (!cwinnow_lock_try(lock)) {
        cwinnow_lock_await(lock, UINT64_MAX);
    }
}

/// Acquires the lock, and waits for it no longer than the time; false when the time has passed.
/// MT-Safe, AS-Unsafe lock.
__attribute__((always_inline)) static inline bool
cwinnow_lock_acquire_within(cwinnow_lock *_Nonnull lock, uint64_t nanoseconds) {
    return cwinnow_lock_try(lock) || cwinnow_lock_await(lock, nanoseconds);
}

/// Gives the lock back. MT-Safe, AS-Unsafe lock.
__attribute__((always_inline)) static inline void
cwinnow_lock_release(cwinnow_lock *_Nonnull lock) {
    if (cwinnow_thread_is_only() &&
        cwinnow_exchange_alone(&lock->state, cwinnow_lock_held, cwinnow_lock_free_now)) {
        return;
    }
    uint32_t state = __atomic_exchange_n(&lock->state, cwinnow_lock_free_now, __ATOMIC_RELEASE);
    if (state == cwinnow_lock_awaited) {
        cwinnow_lock_pass_on(lock);
    }
}

/// The ranks that locks may have, at most: see `LockRank`.
#define CWINNOW_RANK_LIMIT 24
/// Whether the thread holds no lock of the rank or of a later one, as far as it was told. MT-Safe, AS-Safe.
bool cwinnow_rank_is_free(uint8_t rank);
/// Notes that the thread has acquired a lock of the rank. MT-Safe, AS-Safe.
void cwinnow_rank_enter(uint8_t rank);
/// Notes that the thread gives a lock of the rank back, if it holds one. MT-Safe, AS-Safe.
void cwinnow_rank_leave(uint8_t rank);
/// Notes that the thread holds no lock, as in the child of a fork. MT-Safe, AS-Safe.
void cwinnow_rank_forget(void);

/// Makes the lock free again in the child of a fork, whoever held it. Only there.
void cwinnow_lock_reset(cwinnow_lock *_Nonnull lock);
/// Waits, with the lock held, for `cwinnow_lock_wake` or for the time to pass; 0 means forever.
/// MT-Safe, AS-Unsafe lock.
void cwinnow_lock_wait(cwinnow_lock *_Nonnull lock, uint64_t nanoseconds);
/// Wakes what waits in `cwinnow_lock_wait`. MT-Safe, AS-Unsafe lock.
void cwinnow_lock_wake(cwinnow_lock *_Nonnull lock);

/// Starts a detached thread with all signals blocked but those of faults and abort(3), so that it never runs
/// another handler of the application's. Its scheduling, its processors and its nice value are those that the
/// process was started with, and it opens files with the process's rights: it takes nothing from the calling
/// thread, where the system permits that. The kernel keeps 15 bytes of the name. Returns 0 or -errno.
/// MT-Safe, AS-Unsafe heap.
int32_t cwinnow_thread_start(
    const char *_Nonnull name, void (*_Nonnull body)(void *_Nullable), void *_Nullable argument);

/// Sleeps for the time, clock_nanosleep(2), unless a signal comes; keeps errno, and is no point at which
/// the thread is cancelled. MT-Safe, AS-Safe.
void cwinnow_thread_pause(uint64_t nanoseconds);

/// Puts off cancellation of the thread, pthread_cancel(3), which would leave its locks held forever;
/// returns what `cwinnow_cancellation_restore` needs. MT-Safe, AS-Safe.
///
/// A thread is cancelled only within the functions that pthreads(7) lists. Where Winnow, or a sink, may
/// call one with a lock held, Winnow puts cancellation off, or uses syscall(2), which is not among them. A
/// thread that may be cancelled at any instruction, PTHREAD_CANCEL_ASYNCHRONOUS, must not log.
__attribute__((always_inline)) static inline int32_t cwinnow_cancellation_put_off(void) {
    int before = PTHREAD_CANCEL_ENABLE;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    return before;
}

/// Lets the thread be cancelled as before. MT-Safe, AS-Safe.
__attribute__((always_inline)) static inline void cwinnow_cancellation_restore(int32_t before) {
    pthread_setcancelstate(before, NULL);
}

/// Whether the thread is one of ours, started by `cwinnow_thread_start`. MT-Safe, AS-Safe.
bool cwinnow_thread_is_own(void);

/// The ids that this thread, and the process, know of themselves; 0 until they have asked.
extern __thread int32_t cwinnow_known_thread_id __attribute__((tls_model("initial-exec")));
extern int32_t cwinnow_known_process_id;

/// Asks the kernel for the ids, and keeps them. MT-Safe, AS-Safe.
int32_t cwinnow_thread_id_find(void);
int32_t cwinnow_process_id_find(void);

/// Returns the thread's id as in gettid(2), from a copy that fork(2) renews. MT-Safe, AS-Safe.
__attribute__((always_inline)) static inline int32_t cwinnow_thread_id(void) {
    int32_t known = cwinnow_known_thread_id;
    return known != 0 ? known : cwinnow_thread_id_find();
}

/// Returns the process's id, from a copy that fork(2) renews. MT-Safe, AS-Safe.
__attribute__((always_inline)) static inline int32_t cwinnow_process_id(void) {
    int32_t known = __atomic_load_n(&cwinnow_known_process_id, __ATOMIC_RELAXED);
    return known != 0 ? known : cwinnow_process_id_find();
}

/// Whether the thread has so many bytes left on its stack; false where that is not known, as on the stack of a
/// coroutine. MT-Safe, AS-Unsafe heap.
bool cwinnow_thread_has_room(uint64_t byte_count);

/// Whether the process is a child that no handler of pthread_atfork(3) was told of, as that of _Fork(3): it has
/// none of the parent's threads. MT-Safe, AS-Safe.
bool cwinnow_process_is_untold_child(void);

extern __thread void *_Nullable cwinnow_state_of_thread
    __attribute__((tls_model("initial-exec")));

/// Returns this thread's pointer, NULL until it is set. MT-Safe, AS-Safe.
__attribute__((always_inline)) static inline void *_Nullable cwinnow_thread_state(void) {
    return cwinnow_state_of_thread;
}

/// What a thread is to the sinks.
typedef struct cwinnow_thread_role {
    /// The sinks that run on the thread now, a bit for each.
    uint64_t active_sinks;
    /// How many records sinks have logged on the thread.
    uint64_t postponed_count;
    /// How many routes have lost a record within its log call, for each of the thread's calls.
    uint64_t lost_copies;
    /// Whether the thread reads the rings.
    bool is_worker;
} cwinnow_thread_role;

extern __thread cwinnow_thread_role cwinnow_role_of_thread __attribute__((tls_model("initial-exec")));

/// Returns the role of this thread, for as long as the thread lives. MT-Safe, AS-Safe.
__attribute__((always_inline)) static inline cwinnow_thread_role *_Nonnull cwinnow_thread_role_now(void) {
    return &cwinnow_role_of_thread;
}

/// Whether a sink runs on this thread now. MT-Safe, AS-Safe.
__attribute__((always_inline)) static inline bool cwinnow_thread_is_in_sink(void) {
    return cwinnow_role_of_thread.active_sinks != 0;
}

/// How many waits of Winnow's own the thread is in, as one within the handler of a signal is in two.
extern __thread uint32_t cwinnow_waits_of_thread __attribute__((tls_model("initial-exec")));

/// Whether the thread is in a wait of Winnow's own, with locks that others may need. MT-Safe, AS-Safe.
static inline bool cwinnow_thread_is_in_wait(void) {
    return cwinnow_waits_of_thread != 0;
}

/// Sets this thread's pointer; `release` is called with it when the thread ends. The first call of
/// the process decides on `release`. MT-Safe, AS-Unsafe heap.
void cwinnow_thread_set_state(
    void *_Nullable state, void (*_Nonnull release)(void *_Nonnull));

/// Registers what runs around fork(2), pthread_atfork(3); returns 0 or -errno. AS-Unsafe heap.
int32_t cwinnow_at_fork(
    void (*_Nonnull prepare)(void), void (*_Nonnull parent)(void), void (*_Nonnull child)(void));

/// Registers what runs at exit(3) and at quick_exit(3); returns 0 or -errno. AS-Unsafe heap.
int32_t cwinnow_at_exit(void (*_Nonnull body)(void));

/// Returns errno. Log calls give it back as they found it. MT-Safe, AS-Safe.
static inline int32_t cwinnow_errno(void) {
    return errno;
}
/// Sets errno. MT-Safe, AS-Safe.
static inline void cwinnow_set_errno(int32_t value) {
    errno = value;
}

#ifdef __cplusplus
}
#endif

#endif
