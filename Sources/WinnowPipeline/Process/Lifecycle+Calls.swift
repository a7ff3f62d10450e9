// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// The log calls that have not returned when the process ends.
extension Lifecycle {
    /// Waits until each record that has a number now is in the account of every route that wants it, and holds
    /// the others back meanwhile.
    ///
    /// Not long where the configuration was replaced, after which the accounts may stay behind.
    ///
    /// - Parameter deadline: When the time of the sinks ends, on CLOCK_MONOTONIC; 0 if it has ended.
    /// - Returns: How many records have a number, by their levels.
    @discardableResult
    static func awaitCalls(until deadline: UInt64 = 0) -> LevelCounts {
        let last = RecordNumbers.counts
        guard let topology = Topology.current, !ThreadRole.isInsideSink else { return last }
        let begin = cwinnow_clock_monotonic()
        let longest =
            Topology.earlier.isEmpty ? min(deadline, begin + Bounds.End.callsOfBusyMachine) : 0
        let end = max(longest, begin + Bounds.End.calls)
        while !topology.hasAll(upTo: last), cwinnow_clock_monotonic() < end {
            EndGate.hold(for: Bounds.End.gate)
            cwinnow_thread_pause(Bounds.End.callPause)
        }
        return last
    }

    /// Says how many records are on their way to a sink of Winnow's, in calls that have not returned: as may be
    /// from a disk that does not answer.
    ///
    /// Not how many where the configuration was replaced, as some are in the accounts of earlier ones.
    static func tellMissing() {
        let last = awaitCalls()
        guard let topology = Topology.current else { return }
        let words = "not arrived: the log call has not returned"
        guard Topology.earlier.isEmpty else {
            var seen: Set<ObjectIdentifier> = []
            for route in Topology.allRoutes
            where seen.insert(ObjectIdentifier(route.outlet)).inserted && route.isStuck {
                LastWords.say("\(route.name): a record may have \(words)")
            }
            return
        }
        for route in topology.routes {
            let count = topology.missingCount(at: route, upTo: last)
            guard count > 0 else { continue }
            LastWords.say(
                "\(route.name): \(count) record\(count == 1 ? " has" : "s have") \(words)"
            )
        }
    }
}
