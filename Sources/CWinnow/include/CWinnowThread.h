// SPDX-License-Identifier: Apache-2.0

/// Threads, locks and fork: what a logger must own to survive fork(2) and the end of a thread.
///
/// The locks are C's because Swift's `Mutex` is a PI futex that remembers the thread's id, and
/// cannot be given back in the child of a fork.

#ifndef CWINNOW_THREAD_H
#define CWINNOW_THREAD_H

#include <stdbool.h>
#include <stdint.h>

/// A lock; zero-initialised memory is not enough, call `cwinnow_lock_make`.
typedef struct cwinnow_lock cwinnow_lock;

/// Makes a lock that is never freed; aborts where memory has run out. AS-Unsafe heap.
cwinnow_lock *_Nonnull cwinnow_lock_make(void);
/// Frees a lock that nobody holds. AS-Unsafe heap.
void cwinnow_lock_free(cwinnow_lock *_Nonnull lock);
/// Acquires the lock, and waits for it. MT-Safe, AS-Unsafe lock.
void cwinnow_lock_acquire(cwinnow_lock *_Nonnull lock);
/// Acquires the lock where it is free now. MT-Safe, AS-Unsafe lock.
bool cwinnow_lock_try(cwinnow_lock *_Nonnull lock);
/// Acquires the lock, and waits for it no longer than the time; false when the time has passed.
/// MT-Safe, AS-Unsafe lock.
bool cwinnow_lock_acquire_within(cwinnow_lock *_Nonnull lock, uint64_t nanoseconds);
/// Gives the lock back. MT-Safe, AS-Unsafe lock.
void cwinnow_lock_release(cwinnow_lock *_Nonnull lock);
/// Makes the lock free again in the child of a fork, whoever held it. Only there.
void cwinnow_lock_reset(cwinnow_lock *_Nonnull lock);
/// Waits, with the lock held, for `cwinnow_lock_wake` or for the time to pass; 0 means forever.
/// MT-Safe, AS-Unsafe lock.
void cwinnow_lock_wait(cwinnow_lock *_Nonnull lock, uint64_t nanoseconds);
/// Wakes what waits in `cwinnow_lock_wait`. MT-Safe, AS-Unsafe lock.
void cwinnow_lock_wake(cwinnow_lock *_Nonnull lock);

/// Starts a detached thread with all signals blocked but those of faults, so that it never runs
/// another handler of the application's. The name has at most 15 bytes. Returns 0 or -errno. AS-Unsafe heap.
int32_t cwinnow_thread_start(
    const char *_Nonnull name, void (*_Nonnull body)(void *_Nullable), void *_Nullable argument);

/// Returns the thread's id as in gettid(2), from a copy that fork(2) renews. MT-Safe, AS-Safe.
int32_t cwinnow_thread_id(void);

/// Returns the process's id, from a copy that fork(2) renews. MT-Safe, AS-Safe.
int32_t cwinnow_process_id(void);

/// Returns this thread's pointer, NULL until it is set. MT-Safe, AS-Safe.
void *_Nullable cwinnow_thread_state(void);

/// Sets this thread's pointer; `release` is called with it when the thread ends. The first call of
/// the process decides on `release`. MT-Safe, AS-Unsafe heap.
void cwinnow_thread_set_state(
    void *_Nullable state, void (*_Nonnull release)(void *_Nonnull));

/// Registers what runs around fork(2), pthread_atfork(3); returns 0 or -errno. AS-Unsafe heap.
int32_t cwinnow_at_fork(
    void (*_Nonnull prepare)(void), void (*_Nonnull parent)(void), void (*_Nonnull child)(void));

/// Registers what runs at exit(3); returns 0 or -errno. AS-Unsafe heap.
int32_t cwinnow_at_exit(void (*_Nonnull body)(void));

/// Returns errno. Log calls give it back as they found it. MT-Safe, AS-Safe.
int32_t cwinnow_errno(void);
/// Sets errno. MT-Safe, AS-Safe.
void cwinnow_set_errno(int32_t value);

#endif
