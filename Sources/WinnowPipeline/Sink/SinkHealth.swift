// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// How a sink fares, by what it does with the records that it is given and that wait for it.
///
/// It takes records; or it fails, for a reason or as it is only busy, and stands still from the first record
/// that it does not take to the next that it takes. What others are to hear of that is its news.
struct SinkHealth {
    /// Why it fails, unless it is only busy, and since when on CLOCK_MONOTONIC; nil while it takes records.
    private(set) var failure: (error: SinkError, since: UInt64)?
    /// Since when, and why, it takes nothing; nil while it takes records.
    private(set) var stall: Stall?
    private var watch = WaitWatch()
    /// How fast it takes what waits.
    private var pace = SinkPace()
    /// What others are to hear of it, and until when no further stall is announced.
    private var news: RouteNews?
    private var noNewsUntil: UInt64 = 0
    /// Whether a caller has waited in vain for room; it ends when a record is settled.
    var isStuck = false
    /// Until when nobody waits for room, on CLOCK_MONOTONIC: after a wait in vain.
    var noWaitUntil: UInt64 = 0

    /// How many records a sink must take, in the time that the worker waits for it at most, to be waited
    /// for.
    private static let steadyCountForWorker: UInt64 = 100

    /// How long the worker waits for room at most: half as long as a caller does for the worker, so that the
    /// records of the other sinks find room in the rings in time.
    static var patienceOfWorker: UInt64 {
        let patience = DeferredSettings.patience / 2
        return Stage.has(reached: .draining) ? min(patience, Bounds.End.room) : patience
    }

    /// Whether it has failed, or stands still, and that has not ended.
    var isInTrouble: Bool { failure != nil || stall != nil }

    /// Whether the worker may wait for it.
    var isSteady: Bool { pace.isSteady }

    /// Notes why it fails, unless it is only busy.
    mutating func note(_ error: SinkError, at now: UInt64) {
        guard error.code != .busy, failure?.error != error else { return }
        failure = (error, failure?.since ?? now)
    }

    /// Notes that it has not taken a record.
    ///
    /// - Parameters:
    ///   - error: Why.
    ///   - lost: How many of its records are lost so far.
    ///   - now: The time on CLOCK_MONOTONIC.
    mutating func fail(_ error: SinkError, lost: UInt64, at now: UInt64) {
        note(error, at: now)
        if stall == nil { stall = Stall(begin: now, lostBefore: lost, error: error) }
        stall?.error = error
    }

    /// Ends its stall, as it has taken a record; returns whether others are to hear of that.
    mutating func move(lost: UInt64, at now: UInt64) -> Bool {
        guard let stall else { return false }
        self.stall = nil
        guard stall.isHeard else { return false }
        news = .recovery(stall.duration(at: now), lost: lost - stall.lostBefore)
        return true
    }

    /// Ends its failure; returns it.
    mutating func recover() -> (error: SinkError, since: UInt64)? {
        defer { failure = nil }
        return failure
    }

    /// Notes that records which waited were settled, and whether none waits any more.
    mutating func settle(isLast: Bool) {
        isStuck = false
        if isLast { pace = SinkPace() }
    }

    /// Looks whether it stands still without a word, when one more record waits.
    ///
    /// - Parameters:
    ///   - count: How many wait.
    ///   - settled: How many that waited were settled so far.
    ///   - lost: How many of its records are lost so far.
    ///   - now: The time on CLOCK_MONOTONIC.
    /// - Returns: Whether others are to hear of it.
    mutating func look(count: Int, settled: UInt64, lost: UInt64, at now: UInt64) -> Bool {
        pace.look(
            settled: settled,
            at: now,
            period: Self.patienceOfWorker,
            count: Self.steadyCountForWorker,
            pause: min(Self.patienceOfWorker, Bounds.Caller.stuck)
        )
        guard let begin = watch.look(isFirst: count <= 1, settled: settled, at: now) else {
            return false
        }
        // Who knows of it may be the thread that does not return.
        if stall != nil { return isStallNews(at: now) }
        stall = Stall(begin: begin, lostBefore: lost, error: SinkError(.busy))
        return true
    }

    /// Whether it takes nothing for so long that others are to be told, and were not.
    private func isStallNews(at now: UInt64) -> Bool {
        guard let stall else { return false }
        return !stall.isTold && stall.isNotable(at: now) && now >= noNewsUntil
    }

    /// Takes what others are to hear of it now.
    mutating func takeNews(at now: UInt64) -> RouteNews? {
        if let news {
            self.news = nil
            return news
        }
        guard let stall, isStallNews(at: now) else { return nil }
        self.stall?.isTold = true
        noNewsUntil = now + Bounds.News.pause
        return .stall(stall, stall.duration(at: now))
    }

    /// Notes that somebody has heard of a stall: its end is told as well.
    ///
    /// By then it may be over, and another one may have begun, which nobody has heard of.
    mutating func noteHeard(_ told: Stall) {
        if stall?.begin == told.begin { stall?.isHeard = true }
    }
}
