// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Whose turn it is to take records out of the rings.
enum RingTurn: Int {
    /// Nobody's, and the worker may begin.
    case free
    /// The worker's.
    case worker
    /// That of the end of the process, and the worker may no more.
    case ending
    /// The end's as well, and the worker has seen it.
    case ended

    private static let current = Atomic<Int>(0)

    /// Whether the end of the process has asked for the rings.
    ///
    /// MT-Safe.
    static var isAbandoned: Bool { current.load(ordering: .acquiring) >= ending.rawValue }

    /// Whether the worker has left the rings to the end of the process.
    static var isLeft: Bool { current.load(ordering: .acquiring) == ended.rawValue }

    /// Passes the turn on from the one to the other; returns false if it is another's.
    static func pass(from: RingTurn, to: RingTurn) -> Bool {
        current.compareExchange(
            expected: from.rawValue,
            desired: to.rawValue,
            ordering: .sequentiallyConsistent
        ).exchanged
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
        current.store(free.rawValue, ordering: .relaxed)
    }
}
