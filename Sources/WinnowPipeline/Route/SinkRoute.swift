// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
package import WinnowCore

/// The way to one sink: its levels, the records that wait for it, and its account.
///
/// Whatever a sink does, a record of the route is delivered, or waits, or is counted as lost. The
/// sink says by its error which: see ``SinkError/Code``.
@safe
package final class SinkRoute: @unchecked Sendable {
    // SAFETY: `isHolding` and `held` belong to the worker of the rings; the rest is constant once the route is used.
    package let name: String
    package let levels: LevelSet
    let slot: SinkSlot
    // SAFETY: the slot keeps both for as long as the route is.
    /// Direct pointers to the sink and the lock of the slot, which spare a look at objects that the last
    /// system call has evicted from the processor's caches.
    private let callee: UnsafeMutablePointer<SinkSlot.Callee>
    private let gate: UnsafeMutablePointer<cwinnow_lock>
    /// The sink, if it takes batches; else a placeholder that is never called, because an optional would cost
    /// each record reference counting.
    let batchSink: any BatchSink
    /// Whether the sink is one of the program's own, which may not return.
    let isForeign: Bool
    let account: RouteAccount
    let fallback: SinkSlot?
    /// Whether another route brings these records to the fallback anyway.
    private let isCovered: Bool
    /// Whether the sink takes batches.
    private let isBatching: Bool
    /// Whether no other route leads to the sink, so that its lock may be held for a whole batch.
    ///
    /// Set before the route is used.
    var isAlone = false {
        didSet { takesBatches = isAlone && isBatching }
    }
    /// What becomes of private values: also when another configuration has taken the place of the one
    /// that the route belongs to.
    ///
    /// Set before the route is used.
    var privacy = PrivacyPolicy.redact
    /// Whether the worker hands records over in batches.
    private(set) var takesBatches = false
    /// The records of the batch, which are not in the account yet.
    let held = HeldRecords()
    /// Whether a batch is open, and the worker has the lock of the slot.
    var isHolding = false

    /// How long a thread that may have other sinks to serve waits for another that is inside the sink.
    static var sharedPatience: UInt64 { min(Bounds.sink, SinkPatience.rest) }

    /// Creates a route.
    ///
    /// - Parameters:
    ///   - name: The sink's name in the account.
    ///   - slot: The sink.
    ///   - levels: The levels that it gets.
    ///   - fallback: Where records go while the sink is unavailable.
    ///   - isCovered: Whether another route brings these records there anyway.
    ///   - capacity: The bytes of the records that may wait for the sink.
    package init(
        name: String,
        slot: SinkSlot,
        levels: LevelSet,
        fallback: SinkSlot? = nil,
        isCovered: Bool = false,
        capacity: Int = 4 << 20
    ) {
        self.name = name
        self.slot = slot
        unsafe callee = unsafe slot.callee
        unsafe gate = unsafe slot.lock.handle
        batchSink = slot.batchSink ?? NoSink.shared
        isForeign = slot.isForeign
        isBatching = slot.batchSink != nil
        self.levels = levels
        self.fallback = fallback
        self.isCovered = isCovered
        account = RouteAccount(name: name, levels: levels, capacity: capacity)
        if slot.builtInSink?.mayReport == true { account.expectReports() }
    }

    /// The sink and what takes its place.
    var slots: [SinkSlot] { [slot] + (fallback.map { [$0] } ?? []) }

    /// What became of an attempt to deliver a record.
    enum Outcome {
        case delivered
        case diverted
        case lost(LossCause)
        case mustWait
    }

    /// Takes a record that is decoded: delivers it, keeps it, or counts it as lost.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - arguments: Its encoding.
    /// - Returns: Whether a record waits for the sink now.
    @inline(never)
    func accept(_ record: borrowing Record, arguments: UnsafeRawPointer) -> Bool {
        guard isReady(for: record, within: Self.sharedPatience) else {
            return unsafe book(.mustWait, of: record, arguments: arguments)
        }
        if let error = unsafe callee.pointee.take(record, at: 0) {
            return unsafe bookFailure(of: record, error, arguments: arguments)
        }
        let header = unsafe record.encoded(arguments).header
        if unsafe header.pointee.isOfProgram { unsafe account.countDelivered(header) }
        unsafe finish(header)
        return false
    }

    /// Takes a record of the program by its encoding, and has it decoded only where the sink wants it so: on the
    /// thread of the call.
    ///
    /// What seldom happens is called and not inlined, because the code of every record has to fit into the
    /// processor's caches next to the kernel's. What always happens is inlined, because each stack frame that
    /// is open during a system call costs 10 ns: see `cwinnow_descriptor_write_once`.
    ///
    /// - Parameters:
    ///   - record: The record, whose content is there when it is decoded.
    ///   - arguments: Its encoding.
    ///   - now: The time, in nanoseconds since 1970, where it was just read; else 0.
    ///   - decode: Decodes it, where that was not done yet.
    /// - Returns: Whether a record waits for the sink now.
    @inline(__always)
    func accept(
        _ record: borrowing Record,
        arguments: UnsafeRawPointer,
        at now: UInt64,
        _ decode: () -> Void
    ) -> Bool {
        guard isReady(for: record, within: Bounds.sink) else {
            return unsafe book(.mustWait, of: record, arguments: arguments)
        }
        let error: SinkError?
        switch unsafe callee.pointee.take(encoded: record.encoded(arguments), at: now) {
        case .delivered: error = nil
        case .failed(let failure):
            decode()
            error = failure
        case .undecided:
            decode()
            error = unsafe callee.pointee.take(record, at: now)
        }
        if let error {
            return unsafe bookFailure(of: record, error, arguments: arguments)
        }
        // First, as the sink may not return from what it is told.
        unsafe account.countDelivered(record.encoded(arguments).header)
        unsafe finish(record.encoded(arguments).header)
        return false
    }

    /// Whether no record waits for the sink, and the lock of the slot is held now.
    @inline(__always)
    private func isReady(
        for record: borrowing Record,
        within patience: @autoclosure () -> UInt64
    ) -> Bool {
        // How long this thread may wait is only asked where it has to.
        guard account.isQuiet || isClear,
            unsafe cwinnow_lock_try(gate) || cwinnow_lock_await(gate, patience())
        else { return false }
        assert(LockRank.sink.enter())
        // Behind that: the end of the process may have counted it as lost meanwhile, with the lock held.
        return account.isQuiet || isStillLeft(record)
    }

    /// Ends the delivery of a record that the sink has taken, and gives back the lock of the slot.
    @inline(__always)
    private func finish(_ header: UnsafePointer<RecordHeader>) {
        if !account.isQuiet { unsafe tellRest(behind: header.pointee.sequence) }
        assert(LockRank.sink.leave())
        unsafe cwinnow_lock_release(gate)
    }

    /// Enters a record that the sink has not taken in the account, or keeps it, and gives back the
    /// lock of the slot.
    ///
    /// - Returns: Whether it waits for the sink now.
    @inline(never)
    private func bookFailure(
        of record: borrowing Record,
        _ error: SinkError,
        arguments: UnsafeRawPointer
    ) -> Bool {
        let cancellation = cwinnow_cancellation_put_off()
        let outcome = self.outcome(of: record, after: error)
        cwinnow_cancellation_restore(cancellation)
        slot.lock.release()
        let waits = unsafe book(outcome, of: record, arguments: arguments)
        // Behind the end of the process, no later record need bring the report.
        if account.isClosed, account.isOwingReport { _ = reportAndFlush() }
        return waits
    }

    /// Whether a record was not counted as lost; gives back the lock of the slot if it was.
    @inline(never)
    private func isStillLeft(_ record: borrowing Record) -> Bool {
        let header = record.header
        guard account.isClosed, account.update({ $0.isOver(header) }) else { return true }
        slot.lock.release()
        return false
    }

    /// Whether no record waits for the sink any more, of which some may be delivered now.
    @inline(never)
    private var isClear: Bool {
        if account.isHandedOver { return false }
        if account.isBacklogged { _ = help(limit: 8) }
        return !account.isBacklogged
    }

    /// Enters what became of a record that the sink has not taken in the account, or keeps it.
    ///
    /// - Returns: Whether it waits for the sink now.
    @inline(never)
    private func book(
        _ outcome: Outcome,
        of record: borrowing Record,
        arguments: UnsafeRawPointer
    ) -> Bool {
        if case .mustWait = outcome {
            let header = unsafe record.encoded(arguments).header
            return unsafe keep(header, arguments: arguments, waiting: roomWait)
        }
        if case .lost = outcome { Self.noteLostCopy() }
        let header = record.header
        account.update { enter(outcome, of: header, in: &$0) }
        return false
    }

    /// Notes that the route has lost a record within its log call.
    static func noteLostCopy() {
        ThreadRole.lostCopies += 1
    }

    /// Enters what became of a record in the account.
    func enter(
        _ outcome: Outcome,
        of header: RecordHeader,
        in entries: inout RouteAccount.Entries
    ) {
        switch outcome {
        case .delivered: account.countDelivered(header, in: &entries)
        case .diverted:
            account.countDelivered(header, in: &entries)
            if header.isOfProgram, !entries.isOver(header) { entries.diverted += 1 }
        case .lost(let cause): entries.lose(header, cause: cause)
        case .mustWait: break
        }
    }
}

/// What is done with the lock of the slot held.
extension SinkRoute {
    /// Tries to deliver one record.
    func deliver(_ record: borrowing Record) -> Outcome {
        if let error = unsafe callee.pointee.take(record, at: 0) {
            return outcome(of: record, after: error)
        }
        if !account.isQuiet { tellRest(behind: record.header.sequence) }
        return .delivered
    }

    /// Says what is to be said behind a record that the sink has taken.
    @inline(never)
    private func tellRest(behind sequence: UInt64) {
        let cancellation = cwinnow_cancellation_put_off()
        defer { cwinnow_cancellation_restore(cancellation) }
        account.isAbsent = false
        if account.isInTrouble { endTrouble() }
        if owesReport(behind: sequence) { reportLosses() }
        passOnReport()
        // Nobody else comes to flush one of the program's own behind the end.
        if isForeign, account.isClosed { _ = flushSinks() }
    }

    @inline(never)
    private func outcome(of record: borrowing Record, after error: SinkError) -> Outcome {
        switch error.code {
        case .rejected: return .lost(.rejected)
        case .unavailable where fallback != nil: return divert(record, after: error)
        default:
            account.isAbsent = error.code == .unavailable
            let now = cwinnow_clock_monotonic()
            account.update { $0.fail(error, at: now) }
            return .mustWait
        }
    }

    /// Gives a record to the fallback, and says so there with the first one.
    private func divert(_ record: borrowing Record, after error: SinkError) -> Outcome {
        guard let fallback, fallback.lock.acquire(within: Self.sharedPatience) else {
            return .mustWait
        }
        defer { fallback.lock.release() }
        do throws(SinkError) {
            if account.update({ $0.outage == nil }) {
                try announceOutage(error, before: record, to: fallback.sink)
                account.update { $0.outage = LevelTally() }
            }
            if !isCovered { try fallback.sink.write(record) }
            let header = record.header
            if header.isOfProgram { account.update { $0.outage?.add(header) } }
            return .diverted
        } catch {
            let isOver = error.code == .unavailable || error.code == .rejected
            return isOver ? .lost(.unavailable) : .mustWait
        }
    }
}
