// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
public import WinnowCore

/// A sink that keeps copies of records, and fails or runs code as a test tells it to.
public final class ScriptedSink: Sink {
    /// What is kept of a record.
    public struct Entry: Sendable, Hashable {
        public let level: Level
        public let category: String
        public let message: String
        public let fields: [Field]
        public let sequence: UInt64
        public let location: SourceLocation
    }

    private struct State {
        var entries: [Entry] = []
        var failure: SinkError?
        var onWrite: (@Sendable (Entry) -> Void)?
    }

    private let state = Mutex(State())

    public init(failing failure: SinkError? = nil) {
        state.withLock { $0.failure = failure }
    }

    /// The records delivered so far.
    public var entries: [Entry] { state.withLock { $0.entries } }

    /// Those that a program logged, without Winnow's own.
    public var programEntries: [Entry] { entries.filter { $0.sequence != 0 } }

    /// Has the writes from now on fail, or succeed where it is nil.
    public func fail(with failure: SinkError?) {
        state.withLock { $0.failure = failure }
    }

    /// Runs the body within every write.
    public func onWrite(_ body: (@Sendable (Entry) -> Void)?) {
        state.withLock { $0.onWrite = body }
    }

    public func write(_ record: borrowing Record) throws(SinkError) {
        let entry = Entry(
            level: record.level,
            category: record.category,
            message: record.message,
            fields: record.fields,
            sequence: record.sequence,
            location: record.location
        )
        let (failure, body) = state.withLock { ($0.failure, $0.onWrite) }
        body?(entry)
        if let failure { throw failure }
        state.withLock { $0.entries.append(entry) }
    }
}
