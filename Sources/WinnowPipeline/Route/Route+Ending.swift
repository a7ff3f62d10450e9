// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// What becomes of records that the sink has not taken in time, at the end of the process or of the
/// configuration.
extension Route {
    /// Counts what still waits as lost.
    ///
    /// - Parameters:
    ///   - cause: Why they are lost.
    ///   - isLast: Whether those in flight are lost as well: they are on their way to the sink until no more
    ///     can come.
    /// - Returns: The waiting messages of Winnow's own, which are in no account, as the program did not log
    ///   them.
    func loseWaiting(cause: LossCause, isLast: Bool) -> [String] {
        var unheard: [DetachedBuffer] = []
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

    /// Whether another thread is inside a sink of Winnow's, and stays there.
    var isStuck: Bool {
        guard !outlet.isForeign else { return false }
        guard outlet.lock.acquire(within: Bounds.sink) else { return true }
        outlet.lock.release()
        return false
    }

    /// Whether `Delivery.abandon` is at work.
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
