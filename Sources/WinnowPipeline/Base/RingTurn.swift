// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import Synchronization

/// Whose turn it is to take records out of the rings.
enum RingTurn: Int {
    /// Nobody's, and the worker may begin.
    case free
    /// The worker's.
    case worker
    /// The turn of the end of the process for a moment, which the worker waits for.
    case closing
    /// The turn of the end of the process for good.
    case ending
    /// The turn of the end of the process for good, and the worker has seen it.
    case ended

    private static let current = Atomic<Int>(0)

    /// Whether the end of the process has asked for the rings.
    ///
    /// MT-Safe.
    static var isTakenByEnd: Bool { current.load(ordering: .acquiring) >= ending.rawValue }

    /// Whether the worker has left the rings to the end of the process.
    static var isHandedToEnd: Bool { current.load(ordering: .acquiring) == ended.rawValue }

    /// Passes the turn on from the one to the other; returns false if it is another's.
    static func pass(from: RingTurn, to: RingTurn) -> Bool {
        current.compareExchange(
            expected: from.rawValue,
            desired: to.rawValue,
            ordering: .sequentiallyConsistent
        ).exchanged
    }

    /// How many threads want it: an exit and a signal may meet.
    private static let wanted = Atomic<Int>(0)

    /// Whether the worker is to give the turn back for a moment, when it has no record in its hands.
    static var isWanted: Bool { wanted.load(ordering: .relaxed) > 0 }

    /// Runs the body while the worker has no record in its hands, if it comes to that in the time.
    static func withoutWorker(within nanoseconds: UInt64, _ body: () -> Void) {
        wanted.add(1, ordering: .relaxed)
        defer { wanted.subtract(1, ordering: .relaxed) }
        let deadline = cwinnow_clock_monotonic() + nanoseconds
        while !pass(from: .free, to: .closing) {
            guard !isTakenByEnd, cwinnow_clock_monotonic() < deadline else { return body() }
            cwinnow_thread_pause(Bounds.End.workerPause)
        }
        body()
        _ = pass(from: .closing, to: .free)
    }

    /// Takes the turn for the end of the process; returns whether it was the worker's.
    static func takeForEnd() -> Bool {
        let before = current.exchange(ending.rawValue, ordering: .sequentiallyConsistent)
        return before == worker.rawValue
    }

    /// Leaves the turn to the end of the process: the worker.
    static func leave() {
        current.store(ended.rawValue, ordering: .releasing)
    }

    /// Makes it nobody's turn: in the child of a fork.
    static func forgetParent() {
        wanted.store(0, ordering: .relaxed)
        current.store(free.rawValue, ordering: .relaxed)
    }
}
