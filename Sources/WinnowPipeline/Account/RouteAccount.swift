// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import Synchronization
internal import WinnowCore

/// The account of a route and the records that wait, behind a lock that is never held while a sink
/// is called, so that a sink that hangs keeps nobody from reading or adding to them.
///
/// What the route has accepted is told by the numbers: see ``NumberSpan``. What was delivered and what was lost
/// is counted by levels, and these two make up the account: the rest is on its way, wherever it is. `diverted` is a
/// part of what was delivered, and `settled` tells how the queue moves.
@safe
final class RouteAccount: @unchecked Sendable {
    // SAFETY: what `entries` leads to is read and written with the lock held, but for a record that is lent; `span` is
    // set before the account is used.

    /// What the lock guards.
    struct Entries: ~Copyable {
        var queue: SinkQueue
        /// How many records of each level the sink had taken when the account was closed, and has taken since.
        var deliveredOfClosed = LevelCounts()
        /// The records that are lost: only the functions of `RouteAccount+Losses.swift` add to it.
        var lost = LossCounts()
        /// How many of the delivered ones went to the fallback.
        var diverted: UInt64 = 0
        /// The losses that the log has not been told of yet.
        var unreported = LossReport()
        /// The losses that the sink is told now: nobody else tells them, unless it does not return.
        var underwayReport = LossReport()
        /// The messages of Winnow's own that waited for the sink until its end, and are in no account.
        var unheard: [DetachedBuffer] = []
        /// Counts the records that waited and are settled.
        var settled: UInt64 = 0
        /// How the sink fares.
        var health = SinkHealth()
        /// The records that have gone to the fallback since the sink went away; nil while it is there.
        var outage: LevelTally?
        /// The last number of each level when the account was closed: see ``RouteAccount/writeOff(_:)``.
        var closed = LevelCounts()

        /// Whether losses are to be reported, or are being so.
        var isOwingReport: Bool { !unreported.isEmpty || !underwayReport.isEmpty }

        /// Shows the recorder the losses that are to be reported, or are being so.
        mutating func showLosses() {
            unreported.withRecorded(and: underwayReport) { queue.show(&$0) }
        }

        /// Takes the losses that are to be reported, and those that are being so if that is wanted.
        mutating func takeUnreported(isLast: Bool) -> LossReport {
            if isLast { endReport(isTold: false) }
            defer { unreported = LossReport() }
            return unreported
        }

        /// Ends a report that was under way: its losses are told, or still to be.
        mutating func endReport(isTold: Bool) {
            guard !underwayReport.isEmpty else { return }
            defer { underwayReport = LossReport() }
            guard !isTold else { return }
            underwayReport.merge(unreported)
            unreported = underwayReport
        }

        /// Takes the messages of Winnow's own that were to wait for the sink, and never came to it.
        mutating func takeUnheard() -> [DetachedBuffer] {
            defer { unheard = [] }
            return unheard
        }

        /// Notes that the sink has not taken a record.
        mutating func fail(_ error: SinkError, at now: UInt64) {
            health.fail(error, lost: lost.total, at: now)
        }

        /// Looks how the sink fares, when one more record waits; returns whether others are to
        /// hear of it.
        mutating func look(at now: UInt64) -> Bool {
            health.look(count: queue.count, settled: settled, lost: lost.total, at: now)
        }

        /// Whether a record is no matter of the account any more: one that was counted as lost when the account
        /// was closed, or, in the child of a fork, one of the parent's.
        func isOver(_ header: RecordHeader) -> Bool {
            guard header.isOfProgram else { return false }
            return header.levelSequence <= closed[header.level]
                || header.processID != cwinnow_process_id()
        }
    }

    /// The name of the sink.
    let name: String
    /// The levels that the route takes.
    let levels: LevelSet
    /// The numbers of the configuration that the route belongs to.
    ///
    /// Set before the route is used.
    var span = NumberSpan()
    let lock = Lock(.account)
    /// By a pointer, as a variable would cost an exclusivity check for each access.
    private let entries: UnsafeMutablePointer<Entries>
    /// How many records of each level the sink has taken, until the account is closed; from then on only ``closedBit``
    /// means anything: see ``deliveredCount(of:in:)``.
    let delivered = LevelCounters(0)
    /// The conditions that hold, as bits: 0 in most of a route's life, so that a record that meets none
    /// asks once.
    private let conditions = Atomic<UInt32>(0)
    private let abandoned = Atomic<Bool>(false)
    private let nextAttempt = Atomic<UInt64>(0)
    /// Whether all is settled for good, of a configuration that another one has taken the place of.
    let isPast = Atomic<Bool>(false)

    init(name: String, levels: LevelSet, capacity: Int) {
        self.name = name
        self.levels = levels
        unsafe entries = .allocate(capacity: 1)
        unsafe entries.initialize(to: Entries(queue: SinkQueue(capacity: capacity, name: name)))
    }

    deinit {
        unsafe entries.deinitialize(count: 1)
        unsafe entries.deallocate()
    }

    /// What a record has to look at.
    enum Condition: UInt32 {
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
        /// The account was closed, so that some records are no matter of it any more.
        case closed = 64
    }

    func holds(_ condition: Condition) -> Bool {
        conditions.load(ordering: .acquiring) & condition.rawValue != 0
    }

    func set(_ condition: Condition, _ holds: Bool) {
        guard self.holds(condition) != holds else { return }
        if holds {
            conditions.bitwiseOr(condition.rawValue, ordering: .acquiringAndReleasing)
        } else {
            conditions.bitwiseAnd(~condition.rawValue, ordering: .acquiringAndReleasing)
        }
        // It changes with the lock held, so that each change is noted once.
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
    /// sinks to serve; not when the accounts are closed, as nobody waits for that worker any more.
    ///
    /// May be read without the lock; set before the route is used.
    var isHandedOver: Bool {
        get { holds(.handedOver) && !Stage.has(reached: .closed) }
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

    /// Whether records wait, or losses are to be reported, both before the next record.
    ///
    /// May be read without the lock.
    var isBehind: Bool {
        @inline(__always) get {
            let both = Condition.backlogged.rawValue | Condition.owingReport.rawValue
            return conditions.load(ordering: .acquiring) & both != 0
        }
    }

    /// Whether a record goes to the sink without a look at what waits, at what is to be reported, or at whether it
    /// was counted as lost.
    ///
    /// May be read without the lock.
    var isStraight: Bool {
        @inline(__always) get {
            let all =
                Condition.backlogged.rawValue | Condition.owingReport.rawValue
                | Condition.closed.rawValue
            return conditions.load(ordering: .acquiring) & all == 0
        }
    }

    /// The number of the oldest record that waits; nil where none does.
    var firstNumber: UInt64? {
        guard isBacklogged else { return nil }
        return update { entries in
            unsafe entries.queue.first?.header.pointee.sequence
        }
    }

    /// What is settled once nothing waits of what does now.
    struct Goal: Sendable {
        /// How many records that waited are settled by then.
        fileprivate let settled: UInt64
    }

    /// The goal as of now.
    var goal: Goal {
        update { Goal(settled: $0.settled + UInt64($0.queue.count)) }
    }

    /// Whether nothing is left of what waited when the goal was set.
    func hasReached(_ goal: Goal) -> Bool {
        update { $0.queue.isEmpty || $0.settled >= goal.settled }
    }

    /// Waits until the goal is reached, and not beyond the deadline; returns whether it is.
    func await(_ goal: Goal, until deadline: UInt64) -> Bool {
        while !hasReached(goal) {
            let now = cwinnow_clock_monotonic()
            guard now < deadline else { return false }
            awaitRoom(min(deadline - now, Bounds.SinkWorker.goalPause))
        }
        return true
    }

    /// Waits until records that waited are settled, or until the time has passed.
    func awaitRoom(_ nanoseconds: UInt64) {
        lock.acquire()
        lock.wait(nanoseconds)
        lock.release()
    }

    /// Removes the oldest waiting record, which was lent, and wakes whoever waits for room.
    ///
    /// Does nothing if it is no longer there, because the end of the process has counted it as lost.
    ///
    /// - Returns: The next waiting record, which is lent now; nil if there is none, or if nothing was removed.
    func removeFirst(_ settled: QueuedRecord, _ body: (inout Entries) -> Void) -> QueuedRecord? {
        let (next, hasRoom): (QueuedRecord?, Bool) = unsafe update { entries in
            // Its address is no other one's as long as it is lent, also in the child of a fork, whose queue is new.
            guard unsafe entries.queue.first?.header == settled.header else {
                unsafe entries.queue.endLoan(of: settled)
                return (nil, false)
            }
            body(&entries)
            entries.queue.removeFirst()
            entries.settled += 1
            entries.health.settle(isLast: entries.queue.isEmpty)
            return (unsafe entries.queue.lendFirst(), entries.queue.hasRoomAgain)
        }
        if hasRoom { lock.wake() }
        return unsafe next
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

    /// Runs the body with the lock held.
    func update<Result>(_ body: (inout Entries) -> Result) -> Result {
        lock.withLock { updateLocked(body) }
    }

    /// Runs the body with the lock held; returns nil if somebody else holds it for longer than a moment.
    func updateSoon<Result>(_ body: (inout Entries) -> Result) -> Result? {
        guard lock.acquire(within: Bounds.politeness) else { return nil }
        defer { lock.release() }
        return updateLocked(body)
    }

    private func updateLocked<Result>(_ body: (inout Entries) -> Result) -> Result {
        let result = unsafe body(&entries.pointee)
        unsafe set(.backlogged, !entries.pointee.queue.isEmpty)
        let isOwing = unsafe entries.pointee.isOwingReport
        if cwinnow_recorder_number() != 0, isOwing || isOwingReport {
            unsafe entries.pointee.showLosses()
        }
        set(.owingReport, isOwing)
        let isInTrouble =
            unsafe entries.pointee.health.isInTrouble || entries.pointee.outage != nil
        set(.inTrouble, isInTrouble)
        return result
    }
}
