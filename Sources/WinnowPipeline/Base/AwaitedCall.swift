// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// A call that one thread leaves to another, and waits for with a bound.
final class AwaitedCall: @unchecked Sendable {
    // SAFETY: the state is read and written with the lock held.

    private enum State {
        case waiting
        case begun
        case over(Bool)
        case withdrawn
    }

    private var state = State.waiting
    private let lock = Lock(.leaf)
    private let body: @Sendable () -> Bool

    /// - Parameter body: What to do; it returns whether it has come about.
    init(_ body: @escaping @Sendable () -> Bool) {
        self.body = body
    }

    /// Runs it, unless it was withdrawn: the other thread.
    func run() {
        let isWanted = lock.withLock {
            guard case .waiting = state else { return false }
            state = .begun
            return true
        }
        guard isWanted else { return }
        let outcome = body()
        lock.withLock { state = .over(outcome) }
        lock.wake()
    }

    /// Waits for its end; returns what the body has returned, or nil when the time has passed.
    func wait(until deadline: UInt64) -> Bool? {
        lock.withLock {
            while true {
                if case .over(let outcome) = state { return outcome }
                let now = cwinnow_clock_monotonic()
                guard now < deadline else { return nil }
                lock.wait(deadline - now)
            }
        }
    }

    /// Keeps it from being run, if it has not begun.
    func withdraw() {
        lock.withLock {
            if case .waiting = state { state = .withdrawn }
        }
    }
}
