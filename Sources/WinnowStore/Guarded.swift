// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// State that one thread at a time may touch.
///
/// It is pthread_mutex_t and not `Synchronization.Mutex`, which a thread sanitizer does not see: a
/// program that is tested with one would be told of races that are none.
@safe
final class Guarded<State>: @unchecked Sendable {
    // SAFETY: `state` is touched only with the lock held, and the lock is there until `deinit`.
    private let lock = unsafe cwinnow_lock_make()
    private var state: State

    init(_ state: State) {
        self.state = state
    }

    deinit {
        unsafe cwinnow_lock_free(lock)
    }

    func withLock<Result>(_ body: (inout State) -> Result) -> Result {
        unsafe cwinnow_lock_acquire(lock)
        defer { unsafe cwinnow_lock_release(lock) }
        return body(&state)
    }
}
