// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import Synchronization
internal import WinnowCore

/// The account of a route and the records that wait, behind a lock that is never held while a sink
/// is called, so that a sink that hangs keeps nobody from reading or adding to them.
@safe
final class RouteAccount: @unchecked Sendable {
    // SAFETY: what `entries` leads to is read and written with the lock held.

    /// What the lock guards.
    struct Entries {
        var status: SinkStatus
        var queue: SinkQueue
        /// The losses that the log has not been told of yet.
        var unreported = LossReport()
        /// Counts the records that waited and are settled.
        var settled: UInt64 = 0
        /// How the sink fares.
        var health = SinkHealth()
        /// The records that have gone to the fallback since the sink went away; nil while it is there.
        var outage: LevelTally?

        /// Notes that the sink has not taken a record.
        mutating func fail(_ error: SinkError, at now: UInt64) {
            health.fail(error, lost: status.lostTotal, at: now)
        }

        /// Looks how the sink fares, when a record is put to those that wait; returns whether others are to
        /// hear of it.
        mutating func look(at now: UInt64) -> Bool {
            health.look(count: queue.count, settled: settled, lost: status.lostTotal, at: now)
        }

        /// Counts a record as lost, and has the sink be told where that is to be reported.
        mutating func lose(_ header: RecordHeader, cause: LossCause, isReported: Bool = true) {
            guard header.isOfProgram else { return }
            status.lost[cause, default: LevelCounts()][header.level] += 1
            if isReported { unreported.add(header, cause: cause) }
        }

        /// Counts records as accepted and lost that no ring had room for.
        mutating func lose(_ loss: RingLoss) {
            status.accepted += loss.count
            status.lost[.overflow, default: LevelCounts()][loss.level] += loss.count
            unreported.add(loss)
        }
    }

    let lock = Lock(.account)
    /// By a pointer, as a variable would cost an exclusivity check for each access.
    private let entries: UnsafeMutablePointer<Entries>
    let inFlight: InFlightRecords
    /// The conditions that hold, as bits: 0 in most of a route's life, so that a record that meets none
    /// asks once.
    private let conditions = Atomic<UInt32>(0)
    private let abandoned = Atomic<Bool>(false)
    private let nextAttempt = Atomic<UInt64>(0)
    private let atOnce = Atomic<UInt64>(0)

    init(name: String, capacity: Int) {
        inFlight = InFlightRecords(lock)
        unsafe entries = .allocate(capacity: 1)
        let queue = SinkQueue(capacity: capacity)
        unsafe entries.initialize(to: Entries(status: SinkStatus(name: name), queue: queue))
    }

    deinit {
        unsafe entries.deinitialize(count: 1)
        unsafe entries.deallocate()
    }

    /// What a record has to look at.
    private enum Condition: UInt32 {
        /// Records wait.
        case backlogged = 1
        /// Losses are to be reported.
        case owingReport = 2
        /// The sink was not there at the last attempt.
        case absent = 4
        /// The sink has failed, or its fallback was used.
        case inTrouble = 8
        /// The sink may have something to say about itself at any time.
        case reporting = 16
        /// Only the sink's own worker gives it records.
        case handedOver = 32
    }

    private func holds(_ condition: Condition) -> Bool {
        conditions.load(ordering: .acquiring) & condition.rawValue != 0
    }

    private func set(_ condition: Condition, _ holds: Bool) {
        guard self.holds(condition) != holds else { return }
        if holds {
            conditions.bitwiseOr(condition.rawValue, ordering: .acquiringAndReleasing)
        } else {
            conditions.bitwiseAnd(~condition.rawValue, ordering: .acquiringAndReleasing)
        }
        // With the lock held, as no other condition is set by several threads at a time.
        if condition == .backlogged { cwinnow_ending_note_pending(holds) }
    }

    /// Whether nothing waits, nothing is to be reported, and the sink takes what it is given.
    ///
    /// May be read without the lock.
    var isQuiet: Bool {
        @inline(__always) get { conditions.load(ordering: .acquiring) == 0 }
    }

    /// Makes every record ask whether the sink has a report; call it before the route is used.
    func expectReports() {
        set(.reporting, true)
    }

    /// Whether the sink gets its records only from its own worker, and never from a thread that has other
    /// sinks to serve.
    ///
    /// May be read without the lock; set before the route is used.
    var isHandedOver: Bool {
        get { holds(.handedOver) }
        set { set(.handedOver, newValue) }
    }

    /// Whether records wait.
    ///
    /// May be read without the lock.
    var isBacklogged: Bool { holds(.backlogged) }

    /// Whether losses are to be reported.
    ///
    /// May be read without the lock.
    var isOwingReport: Bool { holds(.owingReport) }

    /// Whether records wait, or losses are to be reported: a record comes behind those.
    ///
    /// May be read without the lock.
    var isBehind: Bool {
        @inline(__always) get {
            let both = Condition.backlogged.rawValue | Condition.owingReport.rawValue
            return conditions.load(ordering: .acquiring) & both != 0
        }
    }

    /// The number of the oldest record that waits; nil where none does.
    var firstNumber: UInt64? {
        guard isBacklogged else { return nil }
        return update { entries in
            unsafe entries.queue.first?.base.load(as: RecordHeader.self).sequence
        }
    }

    /// Whether records are in flight.
    ///
    /// May be read without the lock.
    var isInFlight: Bool { inFlight.count > 0 }

    /// Notes that a thread is about to bring a record of the program to the sink, and may not come back.
    ///
    /// - Parameter header: Its header, which stays as it is until ``endFlight(of:)``.
    func beginFlight(of header: UnsafePointer<RecordHeader>) {
        if unsafe header.pointee.isOfProgram { unsafe inFlight.add(header) }
    }

    /// Whether the record is still its matter: see ``endFlight(of:)``.
    func isInFlight(_ header: UnsafePointer<RecordHeader>) -> Bool {
        unsafe !header.pointee.isOfProgram || inFlight.contains(header)
    }

    /// Notes that it is back, and enters what became of the record next.
    ///
    /// - Returns: False if the record is no longer its matter, because the end of the process has counted it
    ///   as lost, or because this is the child of a fork and it is one of the parent's.
    func endFlight(of header: UnsafePointer<RecordHeader>) -> Bool {
        unsafe !header.pointee.isOfProgram || inFlight.remove(header)
    }

    /// The same as ``isInFlight(_:)`` with the lock held, for as long as that is.
    func isInFlightLocked(_ header: UnsafePointer<RecordHeader>) -> Bool {
        unsafe !header.pointee.isOfProgram || inFlight.containsLocked(header)
    }

    /// The same as ``endFlight(of:)`` with the lock held, so that at any time the record is in flight or in the
    /// account.
    func endFlightLocked(of header: UnsafePointer<RecordHeader>) -> Bool {
        unsafe !header.pointee.isOfProgram || inFlight.removeLocked(header)
    }

    /// Whether records wait or are in flight, of which one may come from the one to the other meanwhile.
    var holdsAny: Bool {
        update { !$0.queue.isEmpty || isInFlight }
    }

    /// What is settled once nothing waits or is in flight of what does now.
    struct Goal: Sendable {
        /// How many records that waited are settled by then.
        fileprivate let settled: UInt64
        /// The last number that was given.
        fileprivate let number: UInt64
    }

    /// The goal as of now.
    var goal: Goal {
        update { entries in
            let settled = entries.settled + UInt64(entries.queue.count)
            return Goal(settled: settled, number: RecordNumbers.last)
        }
    }

    /// Whether nothing is left of what waited or was in flight when that was the goal.
    func hasReached(_ goal: Goal) -> Bool {
        update { entries in
            // One that was in flight may wait by now, behind those that did.
            let first = unsafe entries.queue.first?.base.load(as: RecordHeader.self)
            let isOld = first.map { $0.isOfProgram && $0.sequence <= goal.number } ?? false
            return (entries.queue.isEmpty || entries.settled >= goal.settled && !isOld)
                && !inFlight.isAny(upTo: goal.number)
        }
    }

    /// Waits until nothing is, for as long as is said, and not beyond the deadline; returns whether nothing
    /// is.
    func await(_ goal: Goal, within nanoseconds: UInt64, until deadline: UInt64) -> Bool {
        let end = min(cwinnow_clock_monotonic() + nanoseconds, deadline)
        while !hasReached(goal) {
            let now = cwinnow_clock_monotonic()
            guard now < end else { return false }
            awaitRoom(min(end - now, Bounds.SinkWorker.goalPause))
        }
        return true
    }

    /// Waits until records that waited are settled, or until the time has passed.
    func awaitRoom(_ nanoseconds: UInt64) {
        lock.acquire()
        lock.wait(nanoseconds)
        lock.release()
    }

    /// Removes the oldest waiting record, and wakes whoever waits for room.
    ///
    /// Does nothing if it is no longer there, because the end of the process has counted it as lost.
    ///
    /// - Returns: The next waiting record; nil if there is none, or if nothing was removed.
    func removeFirst(_ settled: DetachedBuffer, _ body: (inout Entries) -> Void) -> DetachedBuffer?
    {
        let (next, hasRoom): (DetachedBuffer?, Bool) = update { entries in
            guard entries.queue.first === settled else { return (nil, false) }
            body(&entries)
            entries.queue.removeFirst()
            entries.settled += 1
            entries.health.settle(isLast: entries.queue.isEmpty)
            return (entries.queue.first, entries.queue.hasRoomAgain)
        }
        if hasRoom { lock.wake() }
        return next
    }

    /// Whether the sink was not there at the last attempt.
    ///
    /// May be read without the lock.
    var isAbsent: Bool {
        get { holds(.absent) }
        set { set(.absent, newValue) }
    }

    /// Whether the sink has failed, or stands still, or its fallback was used, and that has not ended.
    ///
    /// May be read without the lock.
    var isInTrouble: Bool { holds(.inTrouble) }

    /// Whether what waits is about to be counted as lost: nobody delivers more of it then.
    ///
    /// May be read without the lock.
    var isAbandoned: Bool {
        get { abandoned.load(ordering: .relaxed) }
        set { abandoned.store(newValue, ordering: .relaxed) }
    }

    /// When a caller may try to deliver what waits, on CLOCK_MONOTONIC: not right after an attempt
    /// in vain, which costs it time.
    ///
    /// May be read without the lock.
    var callerMayHelpAt: UInt64 {
        get { nextAttempt.load(ordering: .relaxed) }
        set { nextAttempt.store(newValue, ordering: .relaxed) }
    }

    /// The records that the sink has taken at once, which are not among the entries: accepted and delivered.
    ///
    /// May be read without the lock. They are one number, so that the account is right at any time, and
    /// a record that meets no trouble takes one lock and not two.
    var deliveredAtOnce: UInt64 { atOnce.load(ordering: .relaxed) }

    /// Counts one of them; with the lock of the outlet held.
    func countDelivered() {
        atOnce.store(atOnce.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    }

    /// Whether a record was counted as delivered.
    var hasDelivered: Bool { update { $0.status.delivered } > 0 || deliveredAtOnce > 0 }

    /// Counts a record as lost that was counted as delivered; it stays accepted.
    ///
    /// With the lock of the outlet held. Does nothing if no record was counted as delivered.
    func loseDelivered(_ header: RecordHeader, cause: LossCause, wasDiverted: Bool = false) {
        update { entries in
            let countAtOnce = atOnce.load(ordering: .relaxed)
            if entries.status.delivered > 0 {
                entries.status.delivered -= 1
                if wasDiverted, entries.status.diverted > 0 { entries.status.diverted -= 1 }
            } else if countAtOnce > 0 {
                atOnce.store(countAtOnce - 1, ordering: .relaxed)
                entries.status.accepted += 1
            } else {
                return
            }
            entries.lose(header, cause: cause)
        }
    }

    /// Begins to count them anew: in the child of a fork.
    func forgetDelivered() {
        atOnce.store(0, ordering: .relaxed)
    }

    /// Runs the body with the lock held.
    func update<Result>(_ body: (inout Entries) -> Result) -> Result {
        lock.withLock {
            let result = unsafe body(&entries.pointee)
            unsafe set(.backlogged, !entries.pointee.queue.isEmpty)
            unsafe set(.owingReport, !entries.pointee.unreported.isEmpty)
            let isInTrouble =
                unsafe entries.pointee.health.isInTrouble || entries.pointee.outage != nil
            set(.inTrouble, isInTrouble)
            return result
        }
    }
}
