// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// State that one thread at a time may touch.
///
/// The lock is not `Synchronization.Mutex`: the thread sanitizer does not see a thread that waits for
/// one, and would report races that do not exist.
@safe
package final class Guarded<State>: @unchecked Sendable {
    // SAFETY: `state` is touched only with the lock held, and the lock is there until `deinit`.
    private let lock = unsafe cwinnow_lock_make()
    private var state: State

    package init(_ state: State) {
        self.state = state
    }

    deinit {
        unsafe cwinnow_lock_free(lock)
    }

    /// Runs the body with the lock held; the body must not call this again.
    package func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe cwinnow_lock_acquire(lock)
        defer { unsafe cwinnow_lock_release(lock) }
        return try body(&state)
    }
}
