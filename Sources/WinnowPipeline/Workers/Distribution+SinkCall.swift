// SPDX-License-Identifier: Apache-2.0

extension Distribution {
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
