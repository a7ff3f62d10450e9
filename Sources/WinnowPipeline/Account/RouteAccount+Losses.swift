// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// All places where a record is counted as lost, whatever the cause:
///
/// | Cause | Found by |
/// |---|---|
/// | queueFull | `SinkRoute.keep`; `SinkRoute.bookBatch` for a batch |
/// | overflow | `ThreadState.lose`, as a ring has no room; `RingLosses` enters it |
/// | rejected, unavailable | `SinkRoute.outcome` and `SinkRoute.divert`, by what the sink says |
/// | reentrant, nested | `Distribution.admits`, of what sinks have logged |
/// | replaced | `Distribution.abandon`: what waits, and what a sink has taken in part |
/// | exit | `Distribution.abandon`, as for `replaced`; ``RouteAccount/writeOff(_:)`` for what is under way |
///
/// What lies in the rings at the exit gets its numbers by `DeferredWorker.abandon`, and is under way then.
///
/// A new cause has a line here and one in CHANGELOG.md, as a program may switch over the causes. Whoever finds it
/// within a log call returns ``SinkRoute/Outcome/lost``, or calls ``SinkRoute/noteLostCopy()``: by that
/// `LimitedSite` learns that the record which tells how many calls it has held back is lost. A loss of which a report
/// would make the sink log again is not reported.
extension RouteAccount.Entries {
    /// Counts a record as lost, and notes it for the next report to the sink if it is to be reported.
    mutating func lose(_ header: RecordHeader, cause: LossCause, isReported: Bool = true) {
        guard header.isOfProgram, !isOver(header) else { return }
        lost.add(1, of: header.level, cause)
        if isReported { unreported.add(header, cause: cause) }
    }

    /// Counts records as lost that no ring had room for.
    mutating func lose(_ loss: RingLoss) {
        guard loss.levelNumbers.upperBound > closed[loss.level] else { return }
        lost.add(loss.count, of: loss.level, .overflow)
        unreported.add(loss)
    }
}

extension RouteAccount {
    /// Counts all that has a number and is not settled as lost, and closes the account: nobody knows where it is, or
    /// whether it comes.
    ///
    /// What comes later finds that its number was counted. With the lock held, for the end of the process; what
    /// waited for the sink was counted before.
    func writeOff(_ entries: inout Entries) {
        assert(entries.queue.isEmpty)
        set(.closed, true)
        var value: UInt8 = 0
        while let level = Level(rawValue: value) {
            value += 1
            guard levels.contains(level) else { continue }
            if delivered[level] & Self.closedBit == 0 {
                entries.deliveredOfClosed[level] = delivered.add(Self.closedBit, at: level)
            }
            // Read once, after the bit is set: every record that was counted without the lock has a number up to this.
            let last = span.end(of: level)
            let accepted = span.count(of: level, upTo: last)
            let settled = entries.deliveredOfClosed[level] + entries.lost.count(of: level)
            let count = accepted > settled ? accepted - settled : 0
            let before = max(entries.closed[level], last - accepted)
            entries.closed[level] = max(entries.closed[level], last)
            guard count > 0 else { continue }
            entries.lost.add(count, of: level, .exit)
            // Any number may be theirs: others that were given later may have been settled.
            entries.unreported.add(count, of: level, numbers: before + 1...last, cause: .exit)
        }
    }

    /// Counts a record as lost that was counted as delivered.
    ///
    /// Does nothing if no record of its level was counted as delivered.
    func loseDelivered(_ header: RecordHeader, cause: LossCause, wasDiverted: Bool = false) {
        update { entries in
            guard deliveredCount(of: header.level, in: entries) > 0 else { return }
            add(.max, of: header.level, in: &entries)
            if wasDiverted, entries.diverted > 0 { entries.diverted -= 1 }
            entries.lost.add(1, of: header.level, cause)
            entries.unreported.add(header, cause: cause)
        }
    }
}
