// SPDX-License-Identifier: Apache-2.0

public import WinnowCore

/// The laws of `Sink` as checks that any sink can be run through.
///
/// ```swift
/// let conformance = SinkConformance {
///     let server = try Server()
///     var subject = SinkConformance.Subject(MySink(port: server.port))
///     subject.delivered = { server.lines }
///     subject.outage = .init(.unavailable, begin: { server.stop() }, end: { try server.start() })
///     return subject
/// }
/// try await conformance.run().verify(unchecked: [.boundedTime, .relocation])
/// ```
/// The last line is the same in swift-testing and in XCTest; what it throws names each law that does
/// not hold, where it stands, and what was seen. A test that is no task calls ``runBlocking()``.
///
/// Each check makes a sink and a destination of its own, on a thread of its own, one after the
/// other. A call that does not return is told, and its thread and its subject are left behind.
///
/// That a sink throws nothing but `SinkError` is checked by the compiler. That what a sink logs does
/// not reach the sink itself (law 5) is a duty of the pipeline.
///
/// A value: MT-Safe, AS-Unsafe.
public struct SinkConformance: Sendable {
    /// A sink, and what a check can do with its destination.
    ///
    /// Closures are called on the thread of one check, one at a time. What is left out is not
    /// checked, and the report says so.
    ///
    /// MT-Unsafe: it stays with the thread that made it. AS-Unsafe heap.
    public struct Subject {
        /// The sink, which has not been used.
        public let sink: any Sink

        /// Returns what has come to the destination since the subject was made, in order: for each
        /// record the bytes by which the destination knows it, a line without its end, a datagram,
        /// the message of an entry.
        ///
        /// It is called again until what is looked for has come. Records that two destinations got,
        /// one after the other, stand here both, but for ``relocate``.
        public var delivered: (() throws -> [[UInt8]])?

        /// Makes the destination refuse records, and take them again.
        public var outage: Fault?

        /// Makes the destination take no more for now, and take what waits.
        public var stall: Fault?

        /// Moves the destination away, and puts an empty one in its place, or none: from then on
        /// ``delivered`` returns what is in the new one.
        public var relocate: (() throws -> Void)?

        /// Whether the bytes of a record are text that people read, with no bound but its end of
        /// line: it must hold no control character, but for a tab, and be UTF-8.
        ///
        /// Where a destination keeps values with their lengths, as memory and the journal do, they
        /// may hold anything.
        public var isText = true

        /// The bytes of a message above which the destination cuts it, or the sink rejects it.
        public var wholeByteCount = Int.max

        /// Creates a subject whose destination can do nothing for a check.
        public init(_ sink: any Sink) {
            self.sink = sink
        }
    }

    /// A fault of a destination, made on demand.
    ///
    /// MT-Unsafe: it stays with the thread that made it. AS-Unsafe heap.
    public struct Fault {
        let code: SinkError.Code
        let begin: () throws -> Void
        let end: () throws -> Void

        /// Creates a fault.
        ///
        /// - Parameters:
        ///   - code: What the sink throws meanwhile; `busy` may come first, from one that tries for another
        ///     connection.
        ///   - begin: Begins it.
        ///   - end: Ends it.
        public init(
            _ code: SinkError.Code,
            begin: @escaping () throws -> Void,
            end: @escaping () throws -> Void
        ) {
            self.code = code
            self.begin = begin
            self.end = end
        }
    }

    /// How long a call may take before it counts as one that does not return.
    ///
    /// Law 3 allows some tens of milliseconds; a busy machine, and a record of 1 MiB in a debug
    /// build, need more.
    public var callLimit = Duration.seconds(60)

    /// How long records may take from the sink to where they are read back, and a destination from
    /// the end of its fault to its next record.
    public var patience = Duration.seconds(10)

    /// The laws that are checked.
    public var laws = ConformanceLaw.ofSink

    private let makeSubject: @Sendable () throws -> Subject

    /// Creates the checks of a sink.
    ///
    /// - Parameter makeSubject: Makes a sink with a destination that nothing else writes to; it is
    ///   called for each check.
    public init(_ makeSubject: @escaping @Sendable () throws -> Subject) {
        self.makeSubject = makeSubject
    }

    /// Checks the laws, without keeping the thread of the task.
    ///
    /// MT-Safe, AS-Unsafe.
    public func run() async -> ConformanceReport {
        await withCheckedContinuation { continuation in
            TestThread.start { continuation.resume(returning: runBlocking()) }
        }
    }

    /// Checks the laws, and blocks the thread: for a test that is no task.
    ///
    /// MT-Safe, AS-Unsafe.
    public func runBlocking() -> ConformanceReport {
        ConformanceReport(results: laws.map { .init(law: $0, outcome: check($0)) })
    }

    private func check(_ law: ConformanceLaw) -> ConformanceReport.Outcome {
        let watch = CallWatch()
        TestThread.start { watch.end(with: outcome(of: law, watch)) }
        return watch.awaitOutcome(callLimit: callLimit)
    }

    private func outcome(of law: ConformanceLaw, _ watch: CallWatch) -> ConformanceReport.Outcome {
        do {
            let probe = SinkProbe(try makeSubject(), watch: watch, patience: patience)
            try probe.check(law)
            return probe.findings.isEmpty ? .passed : .failed(probe.findings)
        } catch let skip as SkippedCheck {
            return .skipped(skip.reason)
        } catch {
            return .failed(["the subject threw: \(error)"])
        }
    }
}

/// The end of a check that the subject does not allow.
struct SkippedCheck: Error {
    let reason: String
}
