// SPDX-License-Identifier: Apache-2.0

public import WinnowCore
internal import WinnowPipeline

/// Fails on demand, and hands what it does not fail on to another sink.
///
/// ```swift
/// let records = RecordingSink()
/// let sink = FailingSink(records)
/// sink.failNext(3, with: SinkError(.busy))
/// ```
/// A write that fails hands nothing on, so that the account of the route can be compared with what
/// came. Every method is MT-Safe and AS-Unsafe.
@safe
public final class FailingSink: Sink, @unchecked Sendable {
    // SAFETY: every access to the state holds the lock.

    /// What the sink saw.
    ///
    /// A value: MT-Safe, AS-Safe.
    public struct Counts: Sendable, Hashable {
        /// The calls of `write(_:)`.
        public var writes = 0
        /// Those of them that threw, by demand or because the other sink did.
        public var failedWrites = 0
        /// The calls of `flush()`.
        public var flushes = 0
        /// The calls of `reopen()`.
        public var reopenings = 0

        /// The calls of `write(_:)` that handed a record on.
        public var deliveredWrites: Int { writes - failedWrites }
    }

    private enum Mode {
        case succeed
        case failNext(Int, SinkError)
        case fail(SinkError)
        case failByChance(SinkError, probability: Double, SeededRandom)
    }

    private let sink: any Sink
    private let lock = Lock(.unranked)
    private var mode = Mode.succeed
    private var flushFailure: SinkError?
    private var reopenFailure: SinkError?
    private var isStalled = false
    private var stalled = 0
    private var seen = Counts()

    /// Creates a sink that does not fail yet.
    ///
    /// - Parameter sink: Gets what is not failed on.
    public init(_ sink: any Sink = RecordingSink()) {
        self.sink = sink
    }

    /// What the sink saw so far.
    public var counts: Counts { lock.withLock { seen } }

    /// The calls of `write(_:)` that are waiting for ``release()``.
    public var stalledCount: Int { lock.withLock { stalled } }

    /// Has the next writes fail, and those behind them succeed.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - error: What they throw.
    public func failNext(_ count: Int = 1, with error: SinkError) {
        lock.withLock { mode = count > 0 ? .failNext(count, error) : .succeed }
    }

    /// Has all writes fail until ``succeed()``.
    public func fail(with error: SinkError) {
        lock.withLock { mode = .fail(error) }
    }

    /// Has some writes fail until ``succeed()``: for one seed the same ones in every run.
    ///
    /// - Parameters:
    ///   - error: What they throw.
    ///   - probability: From 0, none fails, to 1, all do.
    ///   - seed: Where the random numbers begin.
    public func fail(with error: SinkError, probability: Double, seed: UInt64) {
        lock.withLock {
            mode = .failByChance(error, probability: probability, SeededRandom(seed: seed))
        }
    }

    /// Has writes, `flush()` and `reopen()` succeed from now on; what is stalled stays so.
    public func succeed() {
        lock.withLock {
            mode = .succeed
            flushFailure = nil
            reopenFailure = nil
        }
    }

    /// Has `flush()` fail until ``succeed()``.
    public func failFlush(with error: SinkError) {
        lock.withLock { flushFailure = error }
    }

    /// Has `reopen()` fail until ``succeed()``.
    public func failReopen(with error: SinkError) {
        lock.withLock { reopenFailure = error }
    }

    /// Has each write wait until ``release()``.
    ///
    /// This breaks the third law of `Sink` on purpose: whoever logs with immediate delivery waits as
    /// well.
    public func stall() {
        lock.withLock { isStalled = true }
    }

    /// Lets all writes that wait go on.
    public func release() {
        lock.withLock {
            isStalled = false
            lock.wake()
        }
    }

    /// Waits while stalled, then fails as demanded, or hands the record on.
    ///
    /// - Throws: What was demanded, or what the other sink throws.
    public func write(_ record: borrowing Record) throws(SinkError) {
        let failure = lock.withLock {
            seen.writes += 1
            stalled += 1
            while isStalled { lock.wait(0) }
            stalled -= 1
            return nextFailure()
        }
        do throws(SinkError) {
            if let failure { throw failure }
            try sink.write(record)
        } catch {
            lock.withLock { seen.failedWrites += 1 }
            throw error
        }
    }

    /// Fails as demanded, or empties the other sink's buffers.
    ///
    /// - Throws: What was demanded, or what the other sink throws.
    public func flush() throws(SinkError) {
        let failure = lock.withLock {
            seen.flushes += 1
            return flushFailure
        }
        if let failure { throw failure }
        try sink.flush()
    }

    /// Fails as demanded, or opens the other sink's destination anew.
    ///
    /// - Throws: What was demanded, or what the other sink throws.
    public func reopen() throws(SinkError) {
        let failure = lock.withLock {
            seen.reopenings += 1
            return reopenFailure
        }
        if let failure { throw failure }
        try sink.reopen()
    }

    /// What this write throws; with the lock held.
    private func nextFailure() -> SinkError? {
        switch mode {
        case .succeed: return nil
        case .failNext(let count, let error):
            mode = count > 1 ? .failNext(count - 1, error) : .succeed
            return error
        case .fail(let error): return error
        case .failByChance(let error, let probability, var random):
            let isHit = Double.random(in: 0..<1, using: &random) < probability
            mode = .failByChance(error, probability: probability, random)
            return isHit ? error : nil
        }
    }
}
