// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// How far the process is on the way to its end: it never comes back from one, but for the child of a fork.
enum Stage: Int {
    case running
    /// The sinks take what waits for the last time, and none has much time any more.
    case draining
    /// No other thread gets a number for a record for a while: see ``EndGate``.
    case gated
    /// What has a number and is not settled is lost: see ``RouteAccount/writeOff(_:)``.
    case closed

    private static let current = Atomic<Int>(running.rawValue)

    /// Whether the process has come so far.
    static func has(reached stage: Stage) -> Bool {
        current.load(ordering: .sequentiallyConsistent) >= stage.rawValue
    }

    /// Notes that the process has come so far; several threads may end it at a time.
    static func reach(_ stage: Stage) {
        current.max(stage.rawValue, ordering: .sequentiallyConsistent)
    }

    /// Begins anew: in the child of a fork.
    static func forgetParent() {
        current.store(running.rawValue, ordering: .relaxed)
    }
}
