// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// The log calls that have not returned when the process ends.
extension Lifecycle {
    /// Waits until each record that has a number is settled or waits for its sinks, and holds the others back
    /// meanwhile.
    ///
    /// - Parameter deadline: When the time of the sinks ends, on CLOCK_MONOTONIC; 0 if it has ended.
    static func awaitCalls(until deadline: UInt64 = 0) {
        guard !ThreadRole.isInsideSink else { return }
        let begin = cwinnow_clock_monotonic()
        let longest = min(deadline, begin + Bounds.End.callsOfBusyMachine)
        let end = max(longest, begin + Bounds.End.calls)
        while isAnyUnderway, cwinnow_clock_monotonic() < end {
            EndGate.hold(for: Bounds.End.gate)
            cwinnow_thread_pause(Bounds.End.callPause)
        }
    }

    private static var isAnyUnderway: Bool {
        Topology.openRoutes.contains { $0.route.account.underwayCount > 0 }
    }

    /// Counts what has not come to its sink as lost, and says so.
    static func closeAccounts() {
        for (_, route) in Topology.openRoutes {
            _ = route.loseWaiting(cause: .exit, isLast: true)
            if let report = route.takeUntold() { LastWords.say("\(route.name): \(report.text)") }
        }
        Topology.noteUnderway()
    }
}
