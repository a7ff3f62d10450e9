// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import WinnowCore

/// What was delivered, and what is still to be settled.
extension RouteAccount {
    /// What is added to the counts of what was delivered when the account is closed, for whoever counts without the
    /// lock: from then on ``Entries/deliveredOfClosed`` counts instead, with the lock held.
    static let closedBit: UInt64 = 1 &<< 63

    /// Whether it was closed, so that some records may be over: see ``Entries/isOver(_:)``.
    ///
    /// May be read without the lock.
    var isClosed: Bool { holds(.closed) }

    /// Counts a record of the program as delivered.
    ///
    /// Without the lock, unless the account was closed. By a pointer, as a copy of the header would be made for
    /// each record.
    @inline(__always)
    func countDelivered(_ header: UnsafePointer<RecordHeader>) {
        let before = delivered.add(1, at: unsafe header.pointee.level)
        if before & Self.closedBit != 0 { unsafe countLate(header) }
    }

    /// Counts a record of an account that was closed.
    @inline(never)
    private func countLate(_ header: UnsafePointer<RecordHeader>) {
        update { unsafe countDelivered(header.pointee, in: &$0) }
    }

    /// Counts a record as delivered with the lock held, if it is the program's and not over.
    func countDelivered(_ header: RecordHeader, in entries: inout Entries) {
        if header.isOfProgram, !entries.isOver(header) { add(1, of: header.level, in: &entries) }
    }

    /// Counts records as delivered, with the lock held of an account that is not closed.
    func countDelivered(_ counts: InlineArray<8, UInt64>, in entries: inout Entries) {
        var value: UInt8 = 0
        while let level = Level(rawValue: value) {
            if counts[Int(value)] > 0 { add(counts[Int(value)], of: level, in: &entries) }
            value += 1
        }
    }

    func add(_ count: UInt64, of level: Level, in entries: inout Entries) {
        let before = delivered.add(count, at: level)
        if before & Self.closedBit != 0 { entries.deliveredOfClosed[level] &+= count }
    }

    /// Whether a record was accepted by the route, and one of its level was counted as delivered.
    func mayHaveDelivered(_ header: RecordHeader) -> Bool {
        span.contains(header.levelSequence, of: header.level)
            && update { deliveredCount(of: header.level, in: $0) } > 0
    }

    func deliveredCount(of level: Level, in entries: borrowing Entries) -> UInt64 {
        let count = delivered[level]
        return count & Self.closedBit == 0 ? count : entries.deliveredOfClosed[level]
    }

    /// The account as it stands now.
    var status: SinkStatus {
        update { entries in
            var status = SinkStatus(name: name)
            status.failure = entries.health.failure?.error
            status.queueHighWater = entries.queue.highWater
            status.diverted = entries.diverted
            status.lost = entries.lost.byCause
            for level in Level.allCases {
                // In this order: what is delivered meanwhile was accepted before.
                let delivered = deliveredCount(of: level, in: entries)
                status.delivered += delivered
                status.queued += unsettledCount(of: level, delivered: delivered, in: entries)
            }
            status.accepted = status.delivered + status.lostTotal + status.queued
            return status
        }
    }

    /// The totals of the account as it stands now, and why the sink takes no records; nil where the lock is held for long,
    /// as by a thread that has crashed.
    var totals: (delivered: UInt64, queued: UInt64, lost: UInt64, failure: SinkError?)? {
        updateSoon { entries in
            var (delivered, queued, value): (UInt64, UInt64, UInt8) = (0, 0, 0)
            while let level = Level(rawValue: value) {
                // In this order: what is delivered meanwhile was accepted before.
                let count = deliveredCount(of: level, in: entries)
                delivered += count
                queued += unsettledCount(of: level, delivered: count, in: entries)
                value += 1
            }
            return (delivered, queued, entries.lost.total, entries.health.failure?.error)
        }
    }

    /// How many records of the program have a number, and are neither settled nor among those that wait for the
    /// sink: a thread or a worker has them.
    ///
    /// 0 if the lock is held for long, as by a thread that has crashed.
    var underwayCount: UInt64 {
        updateSoon { underwayCount(in: $0) } ?? 0
    }

    private func underwayCount(in entries: borrowing Entries) -> UInt64 {
        let count = unsettledCount(in: entries)
        let waiting = UInt64(entries.queue.programCount)
        return count > waiting ? count - waiting : 0
    }

    private func unsettledCount(in entries: borrowing Entries) -> UInt64 {
        var count: UInt64 = 0
        var value: UInt8 = 0
        while let level = Level(rawValue: value) {
            let delivered = deliveredCount(of: level, in: entries)
            count += unsettledCount(of: level, delivered: delivered, in: entries)
            value += 1
        }
        return count
    }

    private func unsettledCount(
        of level: Level,
        delivered: UInt64,
        in entries: borrowing Entries
    ) -> UInt64 {
        guard levels.contains(level) else { return 0 }
        let settled = delivered + entries.lost.count(of: level)
        let accepted = span.count(of: level)
        return accepted > settled ? accepted - settled : 0
    }

    /// Whether anything is left to settle, or waits.
    var isAnyLeft: Bool {
        update { !$0.queue.isEmpty || unsettledCount(in: $0) > 0 }
    }

    /// Whether nothing is left to settle or to report, of a configuration that another one has taken the place of.
    var isSettled: Bool {
        if isPast.load(ordering: .acquiring) { return !isBehind }
        // First, as no number is given any more then.
        let isEnded = !span.isLatest
        let isSettled = !isAnyLeft
        if isSettled, isEnded { isPast.store(true, ordering: .releasing) }
        return isSettled && !isOwingReport
    }

    /// Forgets the parent's records: in the child of a fork.
    func forgetParent() {
        lock.reset()
        isAbandoned = false
        isPast.store(false, ordering: .relaxed)
        // A sink that runs on this thread has a record that is none of the child's.
        let isInsideSink = ThreadRole.isInsideSink
        for level in Level.allCases { delivered[level] = isInsideSink ? Self.closedBit : 0 }
        set(.closed, isInsideSink)
        update { entries in
            if !isInsideSink { entries.queue.endLoan() }
            entries = Entries(queue: SinkQueue(capacity: entries.queue.capacity, name: name))
        }
    }
}
