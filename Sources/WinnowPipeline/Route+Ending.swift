// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// What becomes of records that the sink has not taken in time, at the end of the process or of the
/// configuration.
extension Route {
    /// Counts what still waits as lost, and reports it to the sink where that takes a record more.
    ///
    /// A thread that is delivering stops after the record that it is writing, so that none is both counted as
    /// lost and written, unless the sink does not return before the deadline.
    ///
    /// - Parameters:
    ///   - cause: Why they are lost.
    ///   - deadline: Until when to wait for a thread that is inside the sink, on CLOCK_MONOTONIC.
    /// - Returns: The waiting messages of Winnow's own, which are in no account, as the program did not log
    ///   them.
    @discardableResult
    package func abandon(cause: LossCause, until deadline: UInt64) -> [String] {
        var unheard: [DetachedBuffer] = []
        // Those in flight are on their way to the sink until no more can come.
        let isLast = cause == .exit && EndGate.isClosed
        account.isAbandoned = true
        defer { account.isAbandoned = false }
        let isFree = acquireOutlet(until: deadline, within: .max)
        if isFree, !outlet.isForeign { loseOwed(cause: cause) }
        account.update { entries in
            // A batch is open only where the worker is stuck in the sink.
            let count = unsafe held.takeAll { header, _ in entries.lose(header, cause: cause) }
            entries.status.accepted += UInt64(count)
            if isLast { loseInFlight(cause: cause, in: &entries) }
            while let buffer = entries.queue.first {
                let header = unsafe buffer.base.load(as: RecordHeader.self)
                if !header.isOfProgram { unheard.append(buffer) }
                entries.lose(header, cause: cause)
                entries.queue.removeFirst()
                entries.settled += 1
            }
        }
        if isFree { reportForLast(cause: cause, until: deadline) }
        return unheard.map(OwnRecord.text(of:))
    }

    /// Counts what is still in flight as lost: at the end of the process, for which sinks were called once
    /// more that may have logged and stayed.
    ///
    /// - Returns: What nobody was told yet; nil if there is nothing.
    func loseInFlight() -> LossReport? {
        guard account.isInFlight else { return nil }
        account.update { loseInFlight(cause: .exit, in: &$0) }
        return takeUntold()
    }

    private func loseInFlight(cause: LossCause, in entries: inout RouteAccount.Entries) {
        account.inFlight.takeAll { header in
            entries.status.accepted += 1
            entries.lose(header, cause: cause)
        }
    }

    /// Reports to the sink what it has lost, and gives back the lock of the outlet.
    ///
    /// One of the program's own may not return: nobody waits for it beyond the deadline.
    private func reportForLast(cause: LossCause, until deadline: UInt64) {
        guard outlet.isForeign else {
            // What is said of the losses would be lost as well.
            if cause == .exit { outlet.builtInSink?.makeRoom() }
            _ = reportAndFlushOutlet()
            return outlet.lock.release()
        }
        _ = callApart(until: deadline) {
            _ = $0.reportAndFlushOutlet()
            $0.outlet.lock.release()
        }
    }

    /// Calls the sink on another thread, which holds the lock of the outlet in the place of this one, and
    /// in the name of the same sinks; returns whether it has returned before the deadline.
    func callApart(until deadline: UInt64, _ body: @escaping @Sendable (Route) -> Void) -> Bool {
        let active = unsafe ThreadState.current.pointee.activeOutlets
        return DetachedCall.run(until: deadline) {
            let state = unsafe ThreadState.current
            let own = unsafe state.pointee.activeOutlets
            // On this thread itself, if the system has no other.
            unsafe state.pointee.activeOutlets = active
            body(self)
            unsafe state.pointee.activeOutlets = own
            unsafe Delivery.deliverPending(on: state)
        }
    }

    /// Counts as lost what the sink, or its fallback, has delivered in part, and still does not
    /// complete; with the lock of the outlet held.
    private func loseOwed(cause: LossCause) {
        _ = flushSinks()
        for header in takeOwed(from: outlet, cause: cause) {
            let bringer = bringers(of: header).first { $0.account.hasDelivered } ?? self
            bringer.account.loseDelivered(header, cause: cause)
        }
        guard let fallback, fallback.lock.acquire(within: Self.patience) else { return }
        defer { fallback.lock.release() }
        for header in takeOwed(from: fallback, cause: cause) {
            account.loseDelivered(header, cause: cause, wasDiverted: true)
        }
    }

    /// Takes what a sink owes of the program's; nothing where it goes on as one of the next
    /// configuration.
    private func takeOwed(from outlet: Outlet, cause: LossCause) -> [RecordHeader] {
        if cause == .replaced, Pipeline.topology?.leads(to: outlet) == true { return [] }
        return outlet.builtInSink?.takeOwed().filter(\.isOfProgram) ?? []
    }

    /// Returns the routes that may have brought a record to the sink, the likeliest first: all that
    /// share it and let the level through.
    private func bringers(of header: RecordHeader) -> some Sequence<Route> {
        let others = (Pipeline.topology?.routes ?? []) + Pipeline.retired.routes.reversed()
        return ([self] + others).filter {
            $0.outlet === outlet && $0.levels.contains(header.level)
        }
    }

    /// Whether another thread is inside a sink of Winnow's, and stays there.
    var isStuck: Bool {
        guard !outlet.isForeign else { return false }
        guard outlet.lock.acquire(within: Self.patience) else { return true }
        outlet.lock.release()
        return false
    }

    /// Whether ``abandon(cause:until:)`` is at work.
    ///
    /// MT-Safe.
    package var isAbandoned: Bool { account.isAbandoned }

    /// Returns what the route has lost and could tell nobody, for another to tell it; nil where
    /// there is nothing.
    func takeUntold() -> LossReport? {
        account.update { entries in
            guard !entries.unreported.isEmpty else { return nil }
            defer { entries.unreported = LossReport() }
            return entries.unreported
        }
    }
}
