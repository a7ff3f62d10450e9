// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

extension Distribution {
    /// Has the body call the sink of each route, in whose name the thread runs: one of the program's own from its
    /// worker, as it may not return.
    ///
    /// The workers are asked first and waited for last, all together: no sink keeps another from its call. Nothing
    /// is called from within a sink.
    ///
    /// - Parameters:
    ///   - routes: The ways to the sinks.
    ///   - deadline: How long to wait for the workers, on CLOCK_MONOTONIC; for some milliseconds in any case.
    ///   - body: What to do; it returns whether it has come about.
    /// - Returns: Of each route what the body has returned; false if it has not returned in time.
    static func callSinks(
        of routes: [SinkRoute],
        until deadline: UInt64,
        _ body: @escaping @Sendable (SinkRoute) -> Bool
    ) -> [Bool] {
        guard ThreadRole.activeSinks == 0 else { return routes.map { _ in false } }
        let calls = routes.map { SinkCall(of: $0, body) }
        var outcomes = routes.map { _ in false }
        // Last the sinks of the program's own for whose worker the system has no thread.
        for isForeign in [false, true] {
            for (index, route) in routes.enumerated()
            where calls[index] == nil && route.isForeign == isForeign {
                visit([route]) { outcomes[index] = body($0) }
            }
        }
        let end = max(deadline, cwinnow_clock_monotonic() + Bounds.SinkWorker.flushWait)
        for (index, call) in calls.enumerated() {
            guard let call else { continue }
            outcomes[index] = call.wait(until: end) ?? false
            call.withdraw()
        }
        return outcomes
    }

    /// A call of one of the program's own sinks, which may not return: it is left to the worker of that sink.
    struct SinkCall {
        private let worker: ServiceThread
        private let call: AwaitedCall

        /// Asks the worker for the call, which runs in the name of the sink.
        ///
        /// Returns nil if the system has no thread for the worker, or if the sink is one of Winnow's: then whoever asks
        /// calls the sink.
        ///
        /// - Parameters:
        ///   - route: The way to the sink.
        ///   - body: What to do; it returns whether it has come about.
        init?(of route: SinkRoute, _ body: @escaping @Sendable (SinkRoute) -> Bool) {
            guard route.isForeign else { return nil }
            worker = route.slot.worker
            call = AwaitedCall {
                var isDone = false
                visit([route]) { isDone = body($0) }
                return isDone
            }
            guard worker.post(call) else { return nil }
        }

        /// Waits for its end; returns what the body has returned, or nil if that has not happened before the deadline
        /// on CLOCK_MONOTONIC.
        func wait(until deadline: UInt64) -> Bool? { call.wait(until: deadline) }

        /// Keeps it from being run, if it has not begun.
        func withdraw() { worker.withdraw(call) }
    }
}
