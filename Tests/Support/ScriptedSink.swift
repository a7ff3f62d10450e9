// SPDX-License-Identifier: Apache-2.0

internal import Testing
package import WinnowCore
internal import WinnowPipeline

/// A sink that keeps copies of records, and fails or runs code as a test tells it to: for the pipeline one
/// of Winnow's own.
package final class ScriptedSink: BuiltInSink {
    /// What is kept of a record.
    package struct Entry: Sendable, Hashable {
        package let level: Level
        package let category: String
        package let message: String
        package let fields: [Field]
        package let sequence: UInt64
        package let levelSequence: UInt64
        package let timestamp: UInt64
        package let location: WinnowCore.SourceLocation
    }

    private struct State {
        var entries: [Entry] = []
        var failure: SinkError?
        var reopeningFailure: SinkError?
        var onWrite: (@Sendable (Entry) -> Void)?
    }

    private let state = Guarded(State())

    /// Whether it is told which records an earlier configuration kept from it.
    package let isNumbered: Bool

    package init(failing failure: SinkError? = nil, isNumbered: Bool = false) {
        self.isNumbered = isNumbered
        state.withLock { $0.failure = failure }
    }

    /// The records delivered so far; in deferred delivery the worker may have others.
    package var entries: [Entry] { state.withLock { $0.entries } }

    /// The records of all calls that have returned, whoever delivers them.
    ///
    /// Not for a sink that fails, which would be waited for.
    package var settledEntries: [Entry] {
        if !Pipeline.flush(within: patience) { Issue.record("records still wait for the sinks") }
        return entries
    }

    /// Those that a program logged, without Winnow's own.
    package var programEntries: [Entry] { entries.filter { $0.sequence != 0 } }

    /// Has the writes from now on fail, or succeed where it is nil.
    package func fail(with failure: SinkError?) {
        state.withLock { $0.failure = failure }
    }

    /// Has each reopening from now on fail.
    package func failReopening(with failure: SinkError) {
        state.withLock { $0.reopeningFailure = failure }
    }

    package func close() {}

    package func reopen() throws(SinkError) {
        if let failure = state.withLock({ $0.reopeningFailure }) { throw failure }
    }

    /// Runs the body within every write.
    package func onWrite(_ body: (@Sendable (Entry) -> Void)?) {
        state.withLock { $0.onWrite = body }
    }

    package func write(_ record: borrowing Record) throws(SinkError) {
        let entry = Entry(
            level: record.level,
            category: record.category,
            message: record.message,
            fields: record.fields,
            sequence: record.sequence,
            levelSequence: record.levelSequence,
            timestamp: record.timestamp,
            location: record.location
        )
        let (failure, body) = state.withLock { ($0.failure, $0.onWrite) }
        body?(entry)
        if let failure { throw failure }
        state.withLock { $0.entries.append(entry) }
    }
}
