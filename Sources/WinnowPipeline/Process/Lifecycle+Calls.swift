// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// The log calls that have not returned when the process ends.
extension Lifecycle {
    /// Waits until the calls that have a number now have brought their records to the sinks, and holds the others
    /// back meanwhile.
    ///
    /// - Parameter deadline: When the time of the sinks ends, on CLOCK_MONOTONIC; 0 if it has ended.
    static func awaitCalls(until deadline: UInt64 = 0) {
        guard !ThreadRole.isInsideSink else { return }
        // A call that has passed the gate may be about to get the next number.
        let last = RecordNumbers.last + 1
        let begin = cwinnow_clock_monotonic()
        let longest = min(deadline, begin + Bounds.End.callsOfBusyMachine)
        let end = max(longest, begin + Bounds.End.calls)
        while unsafe OpenCall.isAny(upTo: last), cwinnow_clock_monotonic() < end {
            EndGate.hold(for: Bounds.End.gate)
            cwinnow_thread_pause(Bounds.End.callPause)
        }
    }

    /// Counts what has not come to its sink by now as lost, and says so; nobody gets a number meanwhile.
    static func closeAccounts() {
        Stage.reach(.closed)
        EndGate.hold(for: Bounds.End.worker + Bounds.End.lateRecords + Bounds.End.gate)
        RingTurn.withoutWorker(within: Bounds.End.worker) {
            let routes = Topology.openRoutes.filter { $0.route.account.isAnyLeft }
            abandon(routes, until: cwinnow_clock_monotonic() + Bounds.End.lateRecords)
        }
        Topology.noteUnderway()
        EndGate.hold(for: Bounds.End.gate)
    }
}
