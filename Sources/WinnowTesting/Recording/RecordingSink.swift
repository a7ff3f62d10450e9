// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
public import WinnowCore
internal import WinnowPipeline
public import WinnowSinks

/// Keeps records in memory, and waits for those that a test expects.
///
/// ```swift
/// let sink = RecordingSink()
/// try Winnow.start(.init(routes: [.sink(sink)], filter: "debug", environment: .ignored))
/// await connect()
/// try await sink.expect(.level(.error).category("net").field("port", 443), within: .seconds(1))
/// ```
/// An expectation looks at the records that are there, and then at each one that comes; it ends with
/// the record, not with the time, so that the time may be generous. ``removeAll()`` parts what came
/// before from what comes now.
///
/// Delivery that is deferred brings a record some time after the log call: expectations wait for it,
/// but ``expectNone(_:)`` looks only at what is there, so `await Winnow.flush()` goes first.
///
/// Every method is MT-Safe and AS-Unsafe.
@safe
public final class RecordingSink: Sink, @unchecked Sendable {
    // SAFETY: every access to the state holds the lock.
    private let lock = Lock(.unranked)
    private var kept: [StoredRecord] = []
    private var start = 0
    private var dropped = 0
    private var waiters: [RecordWaiter] = []
    private let capacity: Int

    /// Creates a sink that is empty.
    ///
    /// - Parameter capacity: The records that it keeps, at least 1; the oldest make room for new
    ///   ones.
    public init(capacity: Int = 65_536) {
        self.capacity = max(capacity, 1)
    }

    /// The records, from the oldest to the latest.
    public var records: [StoredRecord] { lock.withLock { ordered } }

    /// The number of records that made room for later ones.
    public var droppedCount: Int { lock.withLock { dropped } }

    /// Forgets all records, and how many made room.
    public func removeAll() {
        lock.withLock {
            kept.removeAll()
            start = 0
            dropped = 0
        }
    }

    /// Keeps a copy of the record; it throws nothing.
    public func write(_ record: borrowing Record) throws(SinkError) {
        keep(StoredRecord(record))
    }

    /// Keeps a record, and ends the waits that it completes.
    func keep(_ record: StoredRecord) {
        lock.withLock {
            if kept.count < capacity {
                kept.append(record)
            } else {
                kept[start] = record
                start = (start + 1) % capacity
                dropped += 1
            }
            for waiter in waiters where waiter.take(record) { waiter.end() }
            waiters.removeAll { $0.isOver }
            lock.wake()
        }
    }

    private var ordered: [StoredRecord] { Array(kept[start...] + kept[..<start]) }
}

/// What did not come, and what was there instead.
extension RecordingSink {
    /// Begins to wait; what is there already may be all that is awaited.
    private func begin(_ patterns: [RecordPattern], takesPast: Bool = true) -> RecordWaiter {
        let waiter = RecordWaiter(patterns)
        lock.withLock {
            if takesPast { _ = ordered.first { waiter.take($0) } }
            if !waiter.isComplete { waiters.append(waiter) }
        }
        return waiter
    }

    /// Ends a wait, whether or not everything came.
    private func end(_ waiter: RecordWaiter) {
        lock.withLock {
            waiter.end()
            waiters.removeAll { $0 === waiter }
        }
    }

    /// A century.
    private static let longestWait = Duration.seconds(100 * 365 * 86_400)

    /// Waits without keeping the thread of the task; ends early where the task is cancelled.
    private func wait(
        for waiter: RecordWaiter,
        within time: Duration,
        isolation: isolated (any Actor)?
    ) async {
        let timer = Task {
            // Cancelled with the end of the wait, which needs no timer then. A time that ends beyond what
            // a clock can show would trap.
            try? await Task.sleep(for: min(max(time, .zero), Self.longestWait))
            self.end(waiter)
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                self.lock.withLock { waiter.suspend(continuation) }
            }
        } onCancel: {
            self.end(waiter)
        }
        timer.cancel()
    }

    private func waitBlocking(for waiter: RecordWaiter, atMost time: Duration) {
        let deadline = cwinnow_clock_monotonic() + time.nanosecondsClamped
        lock.withLock {
            while !waiter.isComplete {
                let now = cwinnow_clock_monotonic()
                guard now < deadline else { break }
                lock.wait(deadline - now)
            }
        }
        end(waiter)
    }

    private func outcome(
        of waiter: RecordWaiter,
        within time: Duration
    ) throws(RecordExpectationError) -> [StoredRecord] {
        let (found, records, dropped) = lock.withLock { (waiter.found, ordered, self.dropped) }
        guard found.count < waiter.patterns.count else { return found }
        throw RecordExpectationError(
            awaited: waiter.patterns,
            found: found.count,
            within: time,
            among: records,
            dropped: dropped
        )
    }
}

extension RecordingSink {
    /// Waits for a record, without keeping the thread of the task.
    ///
    /// - Parameters:
    ///   - pattern: What is awaited.
    ///   - time: How long at most; a task that is cancelled does not wait on.
    ///   - isolation: The actor of the caller, where the call runs.
    /// - Returns: The oldest record that matches.
    /// - Throws: What was awaited, and which records were the nearest.
    @discardableResult
    public func expect(
        _ pattern: RecordPattern,
        within time: Duration = .seconds(1),
        isolation: isolated (any Actor)? = #isolation
    ) async throws(RecordExpectationError) -> StoredRecord {
        try await expectSequence([pattern], within: time, isolation: isolation)[0]
    }

    /// Waits for records in this order, between which others may come.
    ///
    /// - Parameters:
    ///   - patterns: What is awaited; each record counts for one of them.
    ///   - time: How long at most, for all together.
    ///   - isolation: The actor of the caller, where the call runs.
    /// - Returns: The records that match.
    /// - Throws: The first that did not come, and which records were the nearest.
    @discardableResult
    public func expectSequence(
        _ patterns: [RecordPattern],
        within time: Duration = .seconds(1),
        isolation: isolated (any Actor)? = #isolation
    ) async throws(RecordExpectationError) -> [StoredRecord] {
        let waiter = begin(patterns)
        await wait(for: waiter, within: time, isolation: isolation)
        return try outcome(of: waiter, within: time)
    }

    /// Waits for a record, and blocks the thread: for tests that are no task.
    ///
    /// - Parameters:
    ///   - pattern: What is awaited.
    ///   - time: How long at most.
    /// - Returns: The oldest record that matches.
    /// - Throws: What was awaited, and which records were the nearest.
    @discardableResult
    public func expect(
        _ pattern: RecordPattern,
        blockingAtMost time: Duration
    ) throws(RecordExpectationError) -> StoredRecord {
        try expectSequence([pattern], blockingAtMost: time)[0]
    }

    /// Waits for records in this order, and blocks the thread: for tests that are no task.
    ///
    /// - Parameters:
    ///   - patterns: What is awaited; each record counts for one of them.
    ///   - time: How long at most, for all together.
    /// - Returns: The records that match.
    /// - Throws: The first that did not come, and which records were the nearest.
    @discardableResult
    public func expectSequence(
        _ patterns: [RecordPattern],
        blockingAtMost time: Duration
    ) throws(RecordExpectationError) -> [StoredRecord] {
        let waiter = begin(patterns)
        waitBlocking(for: waiter, atMost: time)
        return try outcome(of: waiter, within: time)
    }
}

extension RecordingSink {
    /// Requires that no such record is there.
    ///
    /// - Parameter pattern: What must not be there.
    /// - Throws: The record; or that some made room, so that nobody knows.
    public func expectNone(_ pattern: RecordPattern) throws(RecordExpectationError) {
        let (records, dropped) = lock.withLock { (ordered, self.dropped) }
        if let record = records.first(where: pattern.matches) {
            throw RecordExpectationError(unwanted: pattern, came: record)
        }
        guard dropped == 0 else {
            throw RecordExpectationError(unwanted: pattern, unknownAmong: dropped)
        }
    }

    /// Requires that no such record is there or comes for some time, without keeping the thread of
    /// the task.
    ///
    /// It takes the whole time where all is well; `await Winnow.flush()` and ``expectNone(_:)`` know
    /// at once, where what logs has ended.
    ///
    /// - Parameters:
    ///   - pattern: What must not come.
    ///   - time: How long; a task that is cancelled does not wait on.
    ///   - isolation: The actor of the caller, where the call runs.
    /// - Throws: The record, as soon as it comes.
    public func expectNone(
        _ pattern: RecordPattern,
        for time: Duration,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(RecordExpectationError) {
        let waiter = begin([pattern], takesPast: false)
        try expectNone(pattern, or: waiter)
        await wait(for: waiter, within: time, isolation: isolation)
        try expectNone(pattern, or: waiter)
    }

    /// Requires that no such record is there or comes for some time, and blocks the thread.
    ///
    /// - Parameters:
    ///   - pattern: What must not come.
    ///   - time: How long.
    /// - Throws: The record, as soon as it comes.
    public func expectNone(
        _ pattern: RecordPattern,
        blockingFor time: Duration
    ) throws(RecordExpectationError) {
        let waiter = begin([pattern], takesPast: false)
        try expectNone(pattern, or: waiter)
        waitBlocking(for: waiter, atMost: time)
        try expectNone(pattern, or: waiter)
    }

    /// Requires that no such record is there, nor has come since the wait began.
    private func expectNone(
        _ pattern: RecordPattern,
        or waiter: RecordWaiter
    ) throws(RecordExpectationError) {
        do throws(RecordExpectationError) {
            if let record = lock.withLock({ waiter.found.first }) {
                throw RecordExpectationError(unwanted: pattern, came: record)
            }
            try expectNone(pattern)
        } catch {
            end(waiter)
            throw error
        }
    }
}
