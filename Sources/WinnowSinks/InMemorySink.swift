// SPDX-License-Identifier: Apache-2.0

public import WinnowCore

/// A copy of a record that outlives the call that lent it.
///
/// A value: MT-Safe, AS-Unsafe heap.
public struct StoredRecord: Sendable, Hashable {
    /// The severity.
    public var level: Level
    /// The category; empty for the static methods of `Log`.
    public var category: String
    /// The message, with private values already masked.
    public var message: String
    /// The fields in the order of the call.
    public var fields: [Field]
    /// When the record was accepted, in nanoseconds since 1970; see ``Record/timestamp``.
    public var timestamp: UInt64
    /// The number of the record in this process; see ``Record/sequence``.
    public var sequence: UInt64
    /// The number of the record among those of its level; see ``Record/levelSequence``.
    public var levelSequence: UInt64
    /// The number of the run of the program; see ``Record/run``.
    public var run: UInt32
    /// The thread that logged.
    public var threadID: Int32
    /// The process that logged.
    public var processID: Int32
    /// Where the log call stands in the source.
    public var location: SourceLocation

    /// Copies a record.
    public init(_ record: borrowing Record) {
        level = record.level
        category = record.category
        message = record.message
        fields = record.fields
        timestamp = record.timestamp
        sequence = record.sequence
        levelSequence = record.levelSequence
        run = record.run
        threadID = record.threadID
        processID = record.processID
        location = record.location
    }

    /// Returns the value of the first field of that name.
    public subscript(field name: String) -> FieldValue? {
        fields.first { $0.name == name }?.value
    }
}

/// Keeps the latest records in memory, for tests and for a page that shows them.
///
/// Any thread may read it at any time, unlike other sinks.
public final class InMemorySink: BuiltInSink {
    private struct State {
        /// A ring once it is full: the oldest record is at `start`.
        var records: [StoredRecord] = []
        var start = 0
        var droppedCount = 0
    }

    private let capacity: Int
    private let state = Guarded(State())

    /// Creates a sink that is empty.
    ///
    /// Any thread may call it, but not a signal handler.
    ///
    /// - Parameter capacity: The records that it keeps, at least 1; the oldest make room for new
    ///   ones.
    public init(capacity: Int = 1_024) {
        self.capacity = max(capacity, 1)
    }

    /// The records, from the oldest to the latest.
    ///
    /// Any thread may call it, but not a signal handler.
    public var records: [StoredRecord] {
        state.withLock { state in
            Array(state.records[state.start...] + state.records[..<state.start])
        }
    }

    /// The number of records that made room for later ones.
    ///
    /// Any thread may call it, but not a signal handler.
    public var droppedCount: Int {
        state.withLock { $0.droppedCount }
    }

    /// Forgets all records, and how many were dropped.
    ///
    /// Any thread may call it, but not a signal handler.
    public func removeAll() {
        state.withLock { $0 = State() }
    }

    package func close() {}

    /// Keeps a copy of the record; it throws nothing.
    ///
    /// Any thread may call it, but not a signal handler.
    public func write(_ record: borrowing Record) throws(SinkError) {
        let copy = StoredRecord(record)
        state.withLock { state in
            guard state.records.count == capacity else {
                state.records.append(copy)
                return
            }
            state.records[state.start] = copy
            state.start = (state.start + 1) % capacity
            state.droppedCount += 1
        }
    }
}
