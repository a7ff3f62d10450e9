// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// The order of the locks.
///
/// A thread that holds one waits without a bound for locks of later ranks only, so that no two threads wait
/// for each other. `Lock` asserts that in debug builds.
///
/// A wait with a bound may go against the order, and costs at most its bound. A fork acquires most of the locks,
/// in this order.
package enum LockRank: UInt8, CaseIterable, Sendable {
    /// The start of the log, and a change of its filter.
    case start
    /// The start and the stop of a redirect.
    case redirect
    /// A round of the redirect's thread, which logs lines.
    case lines
    /// The last delivery at the end of the process.
    case end
    /// What a worker of sinks or rings holds but while it rests.
    case worker
    /// A sink, for as long as it is called.
    case sink
    /// The account of a route, and the records that wait for its sink.
    case account
    /// The start of the recorder in the child of a fork.
    case recorder
    /// The configurations that others have taken the place of.
    case retired
    /// What is asked of the worker of the rings.
    case ringReader
    /// The rings of all threads.
    case ringTable
    /// The categories, and the filter.
    case categories
    /// The sinks of the program's own.
    case foreignSinks
    /// The threads of Winnow's that serve others.
    case services
    /// What is asked of one of these.
    case service
    /// Whether signals are caught.
    case signals
    /// A lock with which no other is acquired.
    case leaf
    /// A lock with which code of the program may run, as of a sink that records for a test: without an order.
    case unranked
}

extension LockRank {
    /// Whether a fork holds several locks of the rank, which it acquires in the order of the configurations.
    private var isShared: Bool { self == .account || self == .service }

    /// Whether who holds a lock of the rank waits for a sink with a bound only, so that a sink may wait for it:
    /// one may start the log anew, or ask about the redirect.
    private var isOpenToSinks: Bool { self == .start || self == .redirect }

    /// Whether this thread may wait for a lock of the rank without a bound.
    package var mayBeAwaited: Bool {
        let first = isShared ? rawValue + 1 : rawValue
        return isOpenToSinks || self == .unranked || cwinnow_rank_is_free(first)
    }

    /// Notes that this thread has acquired a lock of the rank; returns true, as an assertion calls it.
    func enter() -> Bool {
        if self != .unranked { cwinnow_rank_enter(rawValue) }
        return true
    }

    /// Notes that this thread gives back a lock of the rank; returns true, as an assertion calls it.
    func leave() -> Bool {
        if self != .unranked { cwinnow_rank_leave(rawValue) }
        return true
    }

    /// Notes that this thread holds no lock: in the child of a fork.
    static func forgetParent() {
        cwinnow_rank_forget()
    }
}
