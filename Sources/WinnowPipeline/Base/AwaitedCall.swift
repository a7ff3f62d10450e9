// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// A call that one thread leaves to another, and waits for with a bound.
final class AwaitedCall: @unchecked Sendable {
    // SAFETY: the state is read and written with the lock held.

    private enum State {
        case waiting
        case begun
        case over
        case withdrawn
    }

    private var state = State.waiting
    private let lock = Lock(.leaf)
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }

    /// Runs it, unless it was withdrawn: the other thread.
    func run() {
        let isWanted = lock.withLock {
            guard state == .waiting else { return false }
            state = .begun
            return true
        }
        guard isWanted else { return }
        body()
        lock.withLock { state = .over }
        lock.wake()
    }

    /// Waits for its end; false when the time has passed.
    func wait(until deadline: UInt64) -> Bool {
        lock.withLock {
            while state != .over {
                let now = cwinnow_clock_monotonic()
                guard now < deadline else { return false }
                lock.wait(deadline - now)
            }
            return true
        }
    }

    /// Keeps it from being run, if it has not begun.
    func withdraw() {
        lock.withLock {
            if state == .waiting { state = .withdrawn }
        }
    }
}
