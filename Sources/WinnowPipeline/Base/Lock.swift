// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// A lock that can be waited for with a bound, and made free again in the child of a fork.
///
/// It is not `Synchronization.Mutex`, which is a PI futex that belongs to a thread's id and traps when
/// the child of a fork gives it back.
@safe
package final class Lock: @unchecked Sendable {
    // SAFETY: the pointer is set once, and the functions behind it are thread-safe.
    let handle = unsafe cwinnow_lock_make()
    /// When it may be waited for.
    let rank: LockRank

    package init(_ rank: LockRank) {
        self.rank = rank
    }

    deinit {
        unsafe cwinnow_lock_free(handle)
    }

    /// Runs the body with the lock held.
    package func withLock<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        acquire()
        defer { release() }
        return try body()
    }

    package func acquire() {
        assert(rank.mayBeAwaited, "waits against the order for a lock of the rank \(rank)")
        unsafe cwinnow_lock_acquire(handle)
        assert(rank.enter())
    }

    package func tryAcquire() -> Bool {
        let isAcquired = unsafe cwinnow_lock_try(handle)
        assert(!isAcquired || rank.enter())
        return isAcquired
    }

    /// Acquires the lock, or gives up when the time has passed.
    package func acquire(within nanoseconds: UInt64) -> Bool {
        let isAcquired = unsafe cwinnow_lock_acquire_within(handle, nanoseconds)
        assert(!isAcquired || rank.enter())
        return isAcquired
    }

    /// Acquires the lock, or gives up at the deadline on CLOCK_MONOTONIC; a free one also behind that.
    package func acquire(until deadline: UInt64) -> Bool {
        let now = cwinnow_clock_monotonic()
        return now < deadline ? acquire(within: deadline - now) : tryAcquire()
    }

    package func release() {
        assert(rank.leave())
        unsafe cwinnow_lock_release(handle)
    }

    /// Waits, with the lock held, until ``wake()`` or until the time has passed; 0 is for ever.
    package func wait(_ nanoseconds: UInt64) {
        unsafe cwinnow_lock_wait(handle, nanoseconds)
    }

    package func wake() {
        unsafe cwinnow_lock_wake(handle)
    }

    /// Makes the lock free, whoever held it: only in the child of a fork.
    package func reset() {
        assert(rank.leave())
        unsafe cwinnow_lock_reset(handle)
    }
}
