// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// The records that wait for the sink: how they come to, and who delivers them.
extension SinkRoute {
    /// How this thread waits for room.
    var roomWait: RoomWait {
        if ThreadRole.readsRings { return .ofWorker }
        return SinkPatience.rest == .max ? .ofCaller : .none
    }

    /// What became of an attempt to keep a record.
    private enum Keeping {
        case kept
        case lost
        case mustWait
    }

    /// Has a record wait for the sink, and waits for room where there is none, with a bound.
    ///
    /// - Parameters:
    ///   - header: The header of the record, which stays as it is meanwhile.
    ///   - arguments: Its encoding.
    ///   - wait: How it waits.
    /// - Returns: Whether it waits; otherwise it is lost.
    func keep(
        _ header: UnsafePointer<RecordHeader>,
        arguments: UnsafeRawPointer,
        waiting wait: RoomWait
    ) -> Bool {
        var wait = wait
        while true {
            var isStill = false
            let keeping: Keeping = account.update { entries in
                guard unsafe !entries.isOver(header.pointee) else { return .lost }
                let isRoom = unsafe entries.queue.append(marked(header), arguments: arguments)
                isStill = entries.look(at: cwinnow_clock_monotonic())
                guard isRoom || wait.isOver(on: &entries) else { return .mustWait }
                if !isRoom { unsafe entries.lose(header.pointee, cause: .queueFull) }
                return isRoom ? .kept : .lost
            }
            // As the sink never returns with an error.
            if isStill { SinkSlot.sharedWorker.wake() }
            switch keeping {
            case .kept: return true
            case .lost:
                Self.noteLostCopy()
                return false
            case .mustWait: awaitRoom()
            }
        }
    }

    /// The header of a record that waits, which says whether the thread's sinks have logged it.
    private func marked(_ header: UnsafePointer<RecordHeader>) -> RecordHeader {
        var header = unsafe header.pointee
        header.isOfSink = ThreadRole.activeSinks & ThreadRole.bitOfAll == 0 ? 0 : 1
        return header
    }

    /// Waits for a while until there may be room, or makes some.
    private func awaitRoom() {
        // The other sinks shall not wait for what they hold back.
        OpenBatches.commit()
        let hasWorker = slot.worker.wake()
        // Many threads that wait take what they wait for to the sink themselves.
        if hasWorker && !mayHelp || !help(limit: 256) {
            account.awaitRoom(Bounds.Caller.roomPause)
            // A worker that has waited gives the room in the rings back before it waits again.
            SinkPatience.spend(.max)
        }
    }

    /// Whether this thread may give the sink what waits: beside its worker, only log calls in immediate delivery do
    /// so with one of the program's own.
    private var mayHelp: Bool {
        guard isForeign else { return true }
        let isOfSink = ThreadRole.activeSinks & ThreadRole.bitOfAll != 0
        return !account.isHandedOver && !ThreadRole.readsRings && !isOfSink
    }

    /// Delivers some of what waits, on a caller's thread: so that a sink that takes records again
    /// gets them at once, and also where the worker is busy with another sink or has no thread.
    ///
    /// For a short time, as a sink that makes room now and then would keep one caller for all of it, and
    /// without a wait for the sink, which is the worker's: a caller has the other sinks to serve. Returns
    /// whether it has delivered any.
    func help(limit: Int) -> Bool {
        let now = cwinnow_clock_monotonic()
        guard now >= account.callerMayHelpAt, slot.lock.tryAcquire() else { return false }
        defer { slot.lock.release() }
        let cancellation = cwinnow_cancellation_put_off()
        defer { cwinnow_cancellation_restore(cancellation) }
        var content = RecordContent()
        let isAny = SinkPatience.limited(to: 0) {
            drain(limit: limit, until: now + Bounds.Caller.help, content: &content) > 0
        }
        if !isAny { account.callerMayHelpAt = cwinnow_clock_monotonic() + Bounds.Caller.helpPause }
        return isAny
    }

    /// Delivers records that wait, at most `limit`; true where at least one was settled.
    func retry(
        limit: Int,
        until deadline: UInt64 = .max,
        content: inout RecordContent
    ) -> Bool {
        guard acquireSlot(until: deadline) else { return false }
        defer { slot.lock.release() }
        return drain(limit: limit, until: deadline, content: &content) > 0
    }

    /// Delivers records that wait, with the lock of the slot held; returns how many were settled.
    private func drain(
        limit: Int,
        until deadline: UInt64,
        content: inout RecordContent
    ) -> Int {
        var settled = 0
        var next = unsafe account.update { unsafe $0.queue.lendFirst() }
        let postponedCount = ThreadRole.postponedCount
        // What the sink logs is delivered before it gets more, as it may not return then.
        while let record = unsafe next, settled < limit, !account.isAbandoned,
            ThreadRole.postponedCount == postponedCount,
            deadline == .max || cwinnow_clock_monotonic() < deadline
        {
            let outcome = unsafe retryFirst(record, content: &content)
            if case .mustWait = outcome { break }
            unsafe next = unsafe account.removeFirst(record) { entries in
                unsafe enter(outcome, of: record.header.pointee, in: &entries)
            }
            settled += 1
        }
        if let record = unsafe next { account.update { unsafe $0.queue.endLoan(of: record) } }
        if settled > 0, account.isOwingReport, !account.isBacklogged { reportLosses() }
        return settled
    }

    private func retryFirst(_ record: QueuedRecord, content: inout RecordContent) -> Outcome {
        let active = ThreadRole.activeSinks
        defer { ThreadRole.activeSinks = active }
        // What sinks log about what sinks have logged goes nowhere, also where that had to wait.
        if unsafe record.header.pointee.isOfSink != 0 {
            ThreadRole.activeSinks |= ThreadRole.bitOfAll
        }
        content.removeAll()
        unsafe RecordDecoder.decode(record.arguments, policy: privacy, into: &content)
        return unsafe withUnsafePointer(to: content) { content in
            unsafe deliver(Record(header: record.header, content: content))
        }
    }
}
