// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import Synchronization

/// Holds back the records of other threads while the process ends, so that records which already have a
/// number reach the sinks in time.
///
/// A thread that is stopped between the number of its record and the sink, as any may be where
/// there are more threads than processors, would leave a number that no log has and no report
/// explains. So at the end no other thread gets a number for a while, and the end waits for the
/// accounts to catch up with the numbers; what is held back was not accepted. Both have a bound:
/// what else runs at exit may wait for such a thread.
enum EndGate {
    /// The thread that ends the process, for which it is open; 0 while none does.
    private static let closer = Atomic<Int32>(0)
    /// When the others may go on, on CLOCK_MONOTONIC.
    private static let opening = Atomic<UInt64>(0)

    /// Holds back what other threads log from now on.
    static func close() {
        hold(for: Bounds.End.gate)
        closer.store(cwinnow_thread_id(), ordering: .relaxed)
        Stage.reach(.gated)
    }

    /// Has the gate open when the time has passed, in nanoseconds.
    static func hold(for time: UInt64) {
        opening.store(cwinnow_clock_monotonic() + time, ordering: .relaxed)
    }

    /// Waits until the gate opens; not on the thread that has closed it, nor on the worker, which
    /// delivers what was accepted.
    static func pass() {
        guard closer.load(ordering: .relaxed) != cwinnow_thread_id(), !ThreadRole.isInsideSink
        else { return }
        while case let now = cwinnow_clock_monotonic(),
            case let opening = opening.load(ordering: .relaxed), now < opening
        {
            cwinnow_thread_pause(min(opening - now, Bounds.End.gatePause))
        }
    }

    /// Opens the gate: in the child of a fork.
    static func forgetParent() {
        closer.store(0, ordering: .relaxed)
    }
}
