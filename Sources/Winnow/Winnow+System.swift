// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore
internal import WinnowPipeline

extension Winnow {
    /// Starts the system with a configuration; the environment overrides it, unless the
    /// configuration says otherwise.
    ///
    /// The call is optional: without it, the first record starts the system as the environment
    /// says. To configure more, call it once, early. A second call delivers what was accepted before
    /// and replaces the old configuration with the new one. MT-Safe, AS-Unsafe.
    ///
    /// - Throws: ``ConfigurationError`` if the configuration in code is wrong, such as a file that
    ///   cannot be opened or a filter that does not parse. Problems in the environment are reported
    ///   in the log.
    public static func start(
        _ configuration: Configuration = Configuration()
    ) throws(ConfigurationError) {
        try Startup.start(configuration)
    }

    /// Waits until everything that was accepted before is delivered or reported lost.
    ///
    /// It waits for at most the deadline and blocks the thread. Do not call it from within a sink.
    /// MT-Safe, AS-Unsafe.
    ///
    /// - Parameter deadline: How long to wait.
    /// - Returns: Whether nothing waits any more.
    @discardableResult
    public static func flush(deadline: Duration) -> Bool {
        Pipeline.flush(within: deadline.nanosecondsClamped)
    }

    /// Waits until everything that was accepted before is delivered or reported lost, at most ten
    /// seconds, without blocking the task's thread.
    ///
    /// MT-Safe, AS-Unsafe.
    ///
    /// - Returns: Whether nothing waits any more.
    @discardableResult
    public static func flush() async -> Bool {
        await withCheckedContinuation { continuation in
            let flushAndResume: @Sendable () -> Void = {
                continuation.resume(returning: flush(deadline: .seconds(10)))
            }
            if OwnThread.start("winnow-flush", flushAndResume) < 0 { flushAndResume() }
        }
    }

    /// Reopens all destinations: call it after SIGHUP, on a separate thread and not in the signal
    /// handler.
    ///
    /// MT-Safe, AS-Unsafe.
    public static func reopen() {
        Pipeline.reopen()
    }

    /// The current account of the log.
    ///
    /// MT-Safe, AS-Unsafe.
    public static var status: Status {
        // The sinks first: so none of them has accepted more than the process, whoever logs meanwhile.
        let sinks = Pipeline.accounts
        return Status(
            accepted: Pipeline.accepted,
            ringHighWater: Pipeline.ringHighWater,
            sinks: sinks
        )
    }

    /// What has happened to the records so far.
    ///
    /// For each sink `accepted == delivered + queued + lost`, at any time.
    ///
    /// A value: MT-Safe, AS-Unsafe heap.
    public struct Status: Sendable, Hashable {
        /// The records that the process has accepted: the number of the last one.
        ///
        /// In deferred delivery, the records that the worker has taken, or counted as lost.
        public let accepted: UInt64
        /// The most bytes that the worker has found waiting in the ring of a thread.
        ///
        /// That is with the padding at the end of the ring, and all bytes of the ring if a record found no
        /// room there and was lost. 0 in immediate delivery.
        ///
        /// Choose `queueByteCount` and `WINNOW_QUEUE` by this number. `warning` and above may fill a
        /// ring, `notice` three quarters, `info` and `debug` half of it.
        public let ringHighWater: Int
        /// The account of each route, in the order of the configuration.
        public let sinks: [SinkStatus]
    }
}

extension Winnow.Status: CustomStringConvertible {
    /// The account, one line a sink.
    public var description: String {
        (["accepted \(accepted)"] + sinks.map(\.description)).joined(separator: "\n")
    }
}
