// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
package import WinnowCore

/// The way to one sink: its levels, the records that wait for it, and its account.
///
/// Whatever a sink does, a record of the route is delivered, or waits, or is counted as lost. The
/// sink says by its error which: see ``SinkError/Code``.
package final class Route: @unchecked Sendable {
    // SAFETY: `outage` is read and written with the lock of the outlet held; the rest is constant.
    package let name: String
    package let levels: LevelSet
    let outlet: Outlet
    let books: Books
    private let fallback: Outlet?
    /// Whether another route brings the same records to the fallback anyway.
    private let isCovered: Bool
    /// How many records went to the fallback since the sink is away; nil while it is there.
    private var outage: UInt64?

    /// How long a caller waits for another that is inside the sink.
    ///
    /// Sinks that keep their law return within some tens of milliseconds.
    private static let patience: UInt64 = 200_000_000

    /// How long a caller waits for room among the waiting records, and how long it does so while
    /// none is settled: then the sink is stuck, and nobody waits until it moves again.
    private static let roomPatience: UInt64 = 500_000_000
    private static let stuckPatience: UInt64 = 250_000_000

    /// How long nobody waits for room after a wait in vain: a sink that is slower than the program
    /// must not make the program as slow.
    private static let roomPause: UInt64 = 2_000_000_000

    /// How long callers leave a sink alone that took nothing of what waits.
    private static let helpPause: UInt64 = 100_000_000

    /// Creates a route.
    ///
    /// - Parameters:
    ///   - name: The sink's name in the account.
    ///   - outlet: The sink.
    ///   - levels: The levels that it gets.
    ///   - fallback: Where records go while the sink is unavailable.
    ///   - isCovered: Whether another route brings the same records there anyway.
    ///   - capacity: The bytes of the records that may wait for the sink.
    package init(
        name: String,
        outlet: Outlet,
        levels: LevelSet,
        fallback: Outlet? = nil,
        isCovered: Bool = false,
        capacity: Int = 4 << 20
    ) {
        self.name = name
        self.outlet = outlet
        self.levels = levels
        self.fallback = fallback
        self.isCovered = isCovered
        books = Books(name: name, capacity: capacity)
    }

    /// The sink and what takes its place.
    var outlets: [Outlet] { [outlet] + (fallback.map { [$0] } ?? []) }

    /// What became of an attempt to deliver a record.
    private enum Outcome {
        case delivered
        case diverted
        case lost(LossCause)
        case mustWait
    }

    /// Takes a record: delivers it, keeps it, or counts it as lost.
    ///
    /// - Returns: Whether a record waits for the sink now.
    func accept(_ record: borrowing Record, arguments: UnsafeRawPointer) -> Bool {
        var outcome = Outcome.mustWait
        if books.isBacklogged { help() }
        if !books.isBacklogged, outlet.lock.acquire(within: Self.patience) {
            outcome = deliver(record)
            outlet.lock.release()
        }
        let header = record.header
        if case .mustWait = outcome {
            return unsafe keep(header, arguments: arguments)
        }
        books.update { page in
            if header.isOfProgram { page.status.accepted += 1 }
            Self.enter(outcome, of: header, in: &page)
        }
        return false
    }

    /// Delivers some of what waits, on a caller's thread: so that a sink that takes records again
    /// gets them at once, and also where the worker is busy with another sink or has no thread.
    private func help() {
        guard cwinnow_clock_monotonic() >= books.callerMayHelpAt, outlet.lock.tryAcquire() else {
            return
        }
        defer { outlet.lock.release() }
        var content = RecordContent()
        if drain(limit: 8, until: .max, content: &content) == 0 {
            books.callerMayHelpAt = cwinnow_clock_monotonic() + Self.helpPause
        }
    }

    /// Puts a record to those that wait, and waits for room where there is none, with a bound.
    ///
    /// - Returns: Whether it waits; otherwise it is lost.
    private func keep(_ header: RecordHeader, arguments: UnsafeRawPointer) -> Bool {
        let start = cwinnow_clock_monotonic()
        var mark: (settled: UInt64, time: UInt64)?
        while true {
            let isKept: Bool? = books.update { page in
                let isRoom = unsafe page.spill.append(header, arguments: arguments)
                let now = isRoom ? start : cwinnow_clock_monotonic()
                if mark?.settled != page.settled { mark = (page.settled, now) }
                let isIdle = now - (mark?.time ?? now) >= Self.stuckPatience
                page.isStuck = page.isStuck || (!isRoom && isIdle && page.spill.canHold(header))
                let isHopeless = page.isStuck || !page.spill.canHold(header)
                let isInVain = now - start >= Self.roomPatience
                let isOver = isHopeless || isInVain || now < page.noWaitUntil
                if !isRoom, isInVain { page.noWaitUntil = now + Self.roomPause }
                guard isRoom || isOver else { return nil }
                if header.isOfProgram { page.status.accepted += 1 }
                if !isRoom { page.lose(header, cause: .queueFull) }
                return isRoom
            }
            if let isKept { return isKept }
            RetryWorker.wake()
            books.awaitRoom(10_000_000)
        }
    }

    /// Says something of Winnow's own to the sink, whatever the levels of the route.
    func announce(_ text: String, level: Level, fields: [Field]) {
        unsafe OwnRecord.withRecord(text, level: level, fields: fields) { record, arguments in
            if unsafe accept(record, arguments: arguments) { RetryWorker.wake() }
        }
    }

    /// Counts a record that the route must not get, as the route's own sink has logged it.
    func refuse(_ header: RecordHeader, cause: LossCause) {
        books.update { page in
            page.status.accepted += 1
            page.lose(header, cause: cause)
        }
    }

    /// Counts records that no ring had room for.
    func lose(_ loss: RingLoss) {
        books.update { $0.lose(loss) }
    }

    private static func enter(
        _ outcome: Outcome,
        of header: RecordHeader,
        in page: inout Books.Page
    ) {
        guard header.isOfProgram else { return }
        switch outcome {
        case .delivered: page.status.delivered += 1
        case .diverted:
            page.status.delivered += 1
            page.status.diverted += 1
        case .lost(let cause): page.lose(header, cause: cause)
        case .mustWait: break
        }
    }
}

/// What is done with the lock of the outlet held.
extension Route {
    /// Tries to deliver one record.
    private func deliver(_ record: borrowing Record) -> Outcome {
        do throws(SinkError) {
            try outlet.sink.write(record)
        } catch {
            return settle(record, after: error)
        }
        books.isAbsent = false
        if outage != nil { announceRecovery() }
        if books.isOwingReport { reportLosses() }
        return .delivered
    }

    private func settle(_ record: borrowing Record, after error: SinkError) -> Outcome {
        switch error.code {
        case .rejected: return .lost(.rejected)
        case .unavailable where fallback != nil: return divert(record, after: error)
        default:
            books.isAbsent = error.code == .unavailable
            return .mustWait
        }
    }

    /// Gives a record to the fallback, and says so there with the first one.
    private func divert(_ record: borrowing Record, after error: SinkError) -> Outcome {
        guard let fallback, fallback.lock.acquire(within: Self.patience) else { return .mustWait }
        defer { fallback.lock.release() }
        do throws(SinkError) {
            if outage == nil { try announceOutage(error, before: record, to: fallback.sink) }
            outage = (outage ?? 0) + 1
            if !isCovered { try fallback.sink.write(record) }
            return .diverted
        } catch {
            let isOver = error.code == .unavailable || error.code == .rejected
            return isOver ? .lost(.unavailable) : .mustWait
        }
    }

    private func announceOutage(
        _ error: SinkError,
        before record: borrowing Record,
        to sink: any Sink
    ) throws(SinkError) {
        let reason = error.systemError == 0 ? "" : " (\(systemErrorText(error.systemError)))"
        let text = "\(name) is not there\(reason); its records come here until it is"
        try OwnRecord.write(text, level: .warning, at: record.timestamp, to: sink)
    }

    private func announceRecovery() {
        let number = outage ?? 0
        outage = nil
        let text = "\(name) is back; \(number) of its records went to its fallback"
        let field = Field("winnow_diverted", .unsigned(number))
        do throws(SinkError) {
            try OwnRecord.write(text, level: .notice, fields: [field], to: outlet.sink)
        } catch {
            // The next record meets the same failure, and is settled by it.
            return
        }
    }

    /// Writes the losses that were not reported yet to the sink itself; where that fails they stay
    /// unreported.
    private func reportLosses() {
        let report = books.update { page in
            defer { page.unreported = LossReport() }
            return page.unreported
        }
        guard !report.isEmpty else { return }
        do throws(SinkError) {
            try OwnRecord.write(
                report.text,
                level: .warning,
                fields: report.fields,
                to: outlet.sink
            )
        } catch {
            books.update { $0.unreported.merge(report) }
        }
    }
}

/// What the retry worker, a flush and the end of the process do.
extension Route {
    /// Waits for the sink no longer than its law allows, and not beyond the deadline.
    private func acquireOutlet(until deadline: UInt64) -> Bool {
        guard deadline != .max else { return outlet.lock.acquire(within: Self.patience) }
        let now = cwinnow_clock_monotonic()
        return now < deadline
            ? outlet.lock.acquire(within: min(Self.patience, deadline - now))
            : outlet.lock.tryAcquire()
    }

    /// Delivers records that wait, at most `limit`; true where at least one was settled.
    func retry(
        limit: Int,
        until deadline: UInt64 = .max,
        content: inout RecordContent
    ) -> Bool {
        guard acquireOutlet(until: deadline) else { return false }
        defer { outlet.lock.release() }
        return drain(limit: limit, until: deadline, content: &content) > 0
    }

    /// Delivers records that wait, with the lock of the outlet held; returns how many were settled.
    private func drain(
        limit: Int,
        until deadline: UInt64,
        content: inout RecordContent
    ) -> Int {
        var settled = 0
        while settled < limit, deadline == .max || cwinnow_clock_monotonic() < deadline,
            let buffer = books.update({ $0.spill.first })
        {
            let header = unsafe buffer.base.load(as: RecordHeader.self)
            let outcome = retryFirst(buffer, header: header, content: &content)
            if case .mustWait = outcome { break }
            books.removeFirst(buffer) { Self.enter(outcome, of: header, in: &$0) }
            settled += 1
        }
        return settled
    }

    private func retryFirst(
        _ buffer: DetachedBuffer,
        header: RecordHeader,
        content: inout RecordContent
    ) -> Outcome {
        content.removeAll()
        unsafe RecordDecoder.decode(
            buffer.base + RecordHeader.byteCount,
            policy: Pipeline.privacy,
            into: &content
        )
        return Record.withRecord(header: header, content: content) { deliver($0) }
    }

    /// Reports losses that no later record has brought out, and empties the sink's own buffers.
    ///
    /// - Returns: Whether nothing waits, nothing is unreported, and the sink holds nothing back.
    func settleAccount(until deadline: UInt64 = .max) -> Bool {
        guard acquireOutlet(until: deadline) else { return false }
        defer { outlet.lock.release() }
        if books.isOwingReport, !books.isBacklogged { reportLosses() }
        do throws(SinkError) {
            try outlet.sink.flush()
        } catch {
            return false
        }
        return !books.isBacklogged && !books.isOwingReport
    }

    /// Counts what still waits as lost, at the end of the process or of the configuration.
    func abandon(cause: LossCause) {
        books.update { page in
            while let buffer = page.spill.first {
                page.lose(unsafe buffer.base.load(as: RecordHeader.self), cause: cause)
                page.spill.removeFirst()
            }
        }
        _ = settleAccount(until: 0)
    }

    /// Returns what the route has lost and could tell nobody, for another to tell it; nil where
    /// there is nothing.
    func takeUntold() -> LossReport? {
        books.update { page in
            guard !page.unreported.isEmpty else { return nil }
            defer { page.unreported = LossReport() }
            return page.unreported
        }
    }

    func reopen() {
        guard outlet.lock.acquire(within: Self.patience) else { return }
        defer { outlet.lock.release() }
        do throws(SinkError) {
            try outlet.sink.reopen()
        } catch {
            // What could not be opened anew fails again with the next record, which is then kept.
            return
        }
    }

    /// The account as it stands now.
    var account: SinkStatus {
        books.update { page in
            var account = page.status
            account.queued = UInt64(page.spill.programCount)
            account.queueHighWater = page.spill.highWater
            return account
        }
    }

    /// Forgets the parent's records and account: in the child of a fork.
    func forgetParent() {
        outlet.lock.reset()
        fallback?.lock.reset()
        books.lock.reset()
        outage = nil
        books.update { page in
            page = Books.Page(
                status: SinkStatus(name: name),
                spill: Spill(capacity: page.spill.capacity)
            )
        }
    }
}
