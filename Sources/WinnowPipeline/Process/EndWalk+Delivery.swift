// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// What is said of records that the sinks have not taken when the process ends, or may end.
extension EndWalk {
    /// Counts what the sinks of routes have not taken as lost, and says so.
    static func abandon(_ routes: [SinkRoute], until deadline: UInt64) {
        let unheard = Distribution.abandon(routes, cause: .exit, until: deadline)
        // The routes of the current configuration come first; earlier ones were never told its problems.
        tellUnheard(Array(unheard.prefix(RoutingPlan.current?.routes.count ?? 0)))
        let end = cwinnow_clock_monotonic() + Bounds.sink
        for route in routes {
            guard let report = route.takeUntold(isLast: true) else { continue }
            let reason = route.trouble.map { "; \($0)" } ?? ""
            let words = "\(route.name): \(report.text)\(reason)"
            if !News.tellOthersAtOnce(than: route, words, until: end) { LastWords.say(words) }
        }
    }

    /// Says on standard error what Winnow had to report and no route could take, such as what is wrong with
    /// the address of the only one.
    private static func tellUnheard(_ texts: [[String]]) {
        guard let first = texts.first else { return }
        let others = texts.dropFirst()
        for text in first where others.allSatisfy({ $0.contains(text) }) { LastWords.say(text) }
    }

    /// When a fault last gave the sinks all their time in vain, on CLOCK_MONOTONIC; 0 if none did, or if they
    /// have taken everything at a later one.
    // SAFETY: read and written with the lock held.
    private nonisolated(unsafe) static var lastVain: UInt64 = 0

    /// Has the sinks take what waits, where the process may go on, and counts nothing as lost.
    ///
    /// What they do not take in time waits on, and standard error says how many records that are. Once in a
    /// minute the time is spent in vain.
    static func deliverForNow(isWorkerAlive: Bool, within time: UInt64) {
        let begin = cwinnow_clock_monotonic()
        let isPause = unsafe lastVain > 0 && begin - lastVain < Bounds.End.faultPause
        // The worker has a moment for the rings in any case.
        let moment = RingTable.unreadCount > 0 ? Bounds.politeness : 0
        let isDelivered =
            isWorkerAlive
            && Distribution.flush(
                within: isPause ? moment : time,
                grace: isPause ? 0 : Bounds.SinkWorker.flushWait,
                leavesAbsent: true
            )
        if isDelivered {
            unsafe lastVain = 0
            return
        }
        guard !isPause else { return }
        unsafe lastVain = begin
        let count = waitingCount
        guard count > 0 else { return }
        let records = count == 1 ? "1 record waits" : "\(count) records wait"
        LastWords.say("a fault, while \(records) for the sinks: lost if it ends the process")
    }

    /// How many records wait, in the rings or for the sink for which most do.
    static var waitingCount: UInt64 {
        ((RoutingPlan.current?.routes ?? []).map(\.status.queued).max() ?? 0)
            + RingTable.unreadCount
    }
}
