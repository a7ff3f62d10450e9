// SPDX-License-Identifier: Apache-2.0

public import WinnowCore
internal import WinnowPipeline
internal import WinnowSinks

internal import struct Winnow.Log

/// Sorts the records of a process by the test that logged them, as tests run at the same time and a
/// process has one configuration.
///
/// The configuration names it once, for all tests, and each test gets its own records:
/// ```swift
/// let log: Void = try! Winnow.start(
///     .init(routes: [.sink(TaskRecords.shared)], filter: "debug", environment: .ignored))
///
/// @Test func `a refused connection is told`() async throws {
///     log
///     try await withTaskRecords { records in
///         await connect()
///         try await records.expect(.level(.error).category("net"))
///     }
/// }
/// ```
/// A record belongs to the test whose task logged it, or a task that this one has started, as
/// `Log.withContext` has it. What detached tasks, threads and dispatch queues log belongs to no
/// test: it is in ``others``. A test of such code has to be the only one that runs, or to log in a
/// category that no other test uses. Other routes show the mark of a test as a field, `winnow_test`.
///
/// Every method is MT-Safe and AS-Unsafe.
@safe
public final class TaskRecords: Sink, @unchecked Sendable {
    // SAFETY: every access to the table holds the lock.

    /// The sink that `withTaskRecords` gets records from.
    public static let shared = TaskRecords()

    /// The records that no running test has logged.
    public let others = RecordingSink()

    /// The field by which a record is found to be a test's; the test does not see it.
    static let field: StaticString = "winnow_test"

    private let lock = Lock(.unranked)
    private var sinks: [UInt64: RecordingSink] = [:]
    private var last: UInt64 = 0

    private init() {}

    /// Keeps a copy of the record with its test, or with the ``others``; it throws nothing.
    public func write(_ record: borrowing Record) throws(SinkError) {
        var copy = StoredRecord(record)
        let isMark: (Field) -> Bool = { $0.name == Self.field.description }
        let mark = copy.fields.first(where: isMark)?.value
        copy.fields.removeAll(where: isMark)
        let sink = lock.withLock { mark.flatMap(Self.number).flatMap { sinks[$0] } }
        (sink ?? others).keep(copy)
    }

    /// Makes the records of one more test.
    fileprivate func begin() -> (number: UInt64, records: RecordingSink) {
        lock.withLock {
            last += 1
            let records = RecordingSink()
            sinks[last] = records
            return (last, records)
        }
    }

    fileprivate func end(_ number: UInt64) {
        lock.withLock { sinks[number] = nil }
    }

    private static func number(_ value: FieldValue) -> UInt64? {
        switch value {
        case .integer(let number): UInt64(exactly: number)
        case .unsigned(let number): number
        default: nil
        }
    }
}

/// Runs a test that has the records of its own task, and of the tasks that it starts.
///
/// The configuration must have the route `.sink(TaskRecords.shared)`. Calls nest: the records are
/// the innermost one's. MT-Safe, AS-Unsafe.
///
/// - Parameters:
///   - isolation: The actor of the caller, where the test runs.
///   - body: The test; what its tasks log when it has returned is among the others.
/// - Returns: What the body returns.
/// - Throws: What the body throws.
public func withTaskRecords<Result, Failure: Error>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (RecordingSink) async throws(Failure) -> Result
) async throws(Failure) -> Result {
    let (number, records) = TaskRecords.shared.begin()
    defer { TaskRecords.shared.end(number) }
    return try await Log.withContext((TaskRecords.field, number), isolation: isolation) {
        () async throws(Failure) -> Result in
        try await body(records)
    }
}

/// The same for a test that is no task; only what it logs on its own thread is its own.
///
/// MT-Safe, AS-Unsafe.
///
/// - Parameter body: The test.
/// - Returns: What the body returns.
/// - Throws: What the body throws.
public func withTaskRecords<Result, Failure: Error>(
    _ body: (RecordingSink) throws(Failure) -> Result
) throws(Failure) -> Result {
    let (number, records) = TaskRecords.shared.begin()
    defer { TaskRecords.shared.end(number) }
    return try Log.withContext((TaskRecords.field, number)) { () throws(Failure) -> Result in
        try body(records)
    }
}
