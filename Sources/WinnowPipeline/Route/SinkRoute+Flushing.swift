// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// What is done with a sink beside the records: for a flush, the end of the process and a reopening.
extension SinkRoute {
    /// Waits for the lock of the slot, for as long as a sink may take or as given, up to the deadline.
    func acquireSlot(until deadline: UInt64, within patience: UInt64 = Bounds.sink) -> Bool {
        let end = cwinnow_clock_monotonic().addingReportingOverflow(patience)
        return slot.lock.acquire(until: min(deadline, end.overflow ? .max : end.partialValue))
    }

    /// Has the sink and its fallback send what they owe of records that count as delivered.
    ///
    /// - Returns: Whether one still owes something, or may: somebody is inside it, who may just have noted
    ///   that.
    func sendRests() -> Bool {
        var isOwing = false
        for slot in slots {
            guard let sink = slot.builtInSink else { continue }
            guard slot.lock.tryAcquire() else {
                isOwing = true
                continue
            }
            if sink.owesRest, Self.flush(sink) != nil { isOwing = sink.owesRest || isOwing }
            slot.lock.release()
        }
        return isOwing
    }

    /// Whether the sink's destination is gone for good.
    var isGone: Bool {
        guard let sink = slot.builtInSink, slot.lock.tryAcquire() else { return false }
        defer { slot.lock.release() }
        return sink.isGone
    }

    /// Has the destinations make room for what waits, once: at the end of the process.
    func makeRoom(until deadline: UInt64) {
        guard account.isBacklogged else { return }
        for slot in slots {
            // Who is inside the sink tries for some tens of milliseconds what there is no room for.
            guard let sink = slot.builtInSink, slot.lock.acquire(until: deadline) else { continue }
            if !slot.hasMadeRoom { sink.makeRoom() }
            slot.hasMadeRoom = true
            slot.lock.release()
        }
    }

    /// Reports losses that no later record has brought out, and empties the sink's own buffers.
    ///
    /// - Returns: Whether the sink holds nothing back, and nothing is unreported that could be reported now.
    func reportAndFlush(until deadline: UInt64 = .max) -> Bool {
        guard acquireSlot(until: deadline) else { return false }
        defer { slot.lock.release() }
        return reportAndFlushLocked()
    }

    /// Reports losses and empties the buffers, with the lock of the slot held.
    func reportAndFlushLocked() -> Bool {
        if account.isOwingReport, !account.isBacklogged { reportLosses() }
        passOnReport()
        return flushSinks() && (account.isBacklogged || !account.isOwingReport)
    }

    /// Empties the buffers of the sink and of its fallback; returns whether they hold nothing back.
    func flushSinks() -> Bool {
        let error = Self.flush(slot.sink)
        // The end of the process need not wait for the rest if the destination is absent.
        if let error { account.isAbsent = error.code == .unavailable }
        guard let fallback else { return error == nil }
        guard fallback.lock.acquire(within: Self.sharedPatience) else { return false }
        defer { fallback.lock.release() }
        return Self.flush(fallback.sink) == nil && error == nil
    }

    private static func flush(_ sink: any Sink) -> SinkError? {
        do throws(SinkError) {
            try sink.flush()
        } catch {
            return error
        }
        return nil
    }

    /// Has the sink take leave of its destination, where it has a word for that.
    func part(until deadline: UInt64) {
        guard let sink = slot.builtInSink, acquireSlot(until: deadline) else { return }
        sink.part()
        slot.lock.release()
    }

    /// What is to be said where the sink could not be asked to open its destination anew.
    var busyText: String { "\(name) is busy, and may not have been opened anew" }

    /// Has the sink open its destination anew; returns what is to be said where it cannot, and so may
    /// stay with the one it has.
    func reopen() -> String? {
        guard slot.lock.acquire(within: Bounds.sink) else { return busyText }
        defer { slot.lock.release() }
        do throws(SinkError) {
            try slot.sink.reopen()
        } catch {
            return "\(name) cannot be opened anew: \(explain(error))"
        }
        return nil
    }
}
