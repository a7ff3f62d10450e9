// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// Records that the worker hands over in batches: the sink makes their bytes one by one, and writes
/// them with one call of the system.
///
/// The lock of the slot is held from the first record of a batch to its end, which comes after some
/// hundred records at the latest. Meanwhile the worker does nothing else with the sink.
extension SinkRoute: Batching {
    /// Has the sink hold back a record by its encoding, behind the first one of an open batch.
    ///
    /// Returns false where ``hold(_:at:)`` is to be asked.
    @inline(__always)
    func hold(_ record: UnsafePointer<RingRecord>) -> Bool {
        guard isHolding, account.isStraight,
            let isEnough = unsafe batchSink.hold(encoded: RingRecord.encoded(record))
        else { return false }
        let isFull = unsafe held.append(record)
        if isEnough || isFull { commit() }
        return true
    }

    /// Leaves a record to the worker of the sink's own, without a look at its content.
    ///
    /// Returns false where the sink has none.
    func handOver(_ record: UnsafePointer<RingRecord>) -> Bool {
        guard isForeign else { return false }
        let encoded = unsafe RingRecord.encoded(record)
        let waits = unsafe keep(encoded.header, arguments: encoded.arguments, waiting: .ofWorker)
        if waits { slot.worker.wake() }
        return true
    }

    /// Has the sink hold back a record, which stays where it is until the batch ends.
    ///
    /// Returns false where the record must go the usual way, behind the batch: behind others that wait, to a
    /// sink that takes no batches or is another route's as well, or to one that is owed a report.
    func hold(
        _ record: borrowing Record,
        at place: UnsafePointer<RingRecord>
    ) -> Bool {
        guard takesBatches else { return false }
        guard account.isStraight, beginBatch() else { return false }
        let isEnough = batchSink.hold(record)
        let isFull = unsafe held.append(place)
        if isEnough || isFull { commit() }
        return true
    }

    /// Takes the sink for a batch; true where one is open.
    private func beginBatch() -> Bool {
        if isHolding { return true }
        guard slot.lock.acquire(within: Self.sharedPatience) else { return false }
        // The first record that a sink takes after an outage also announces the end of the outage. And the end of
        // the process may have counted the record as lost meanwhile.
        guard account.isStraight, account.update({ $0.outage == nil }) else {
            slot.lock.release()
            return false
        }
        isHolding = true
        OpenBatches.add(self)
        return true
    }

    /// Ends the batch: what the sink does not take of it waits, as it does with a single record.
    func commit() {
        guard isHolding else { return }
        isHolding = false
        let (delivered, error) = batchSink.commit()
        if let error {
            // A sink that takes a part of each batch does not stand still.
            if delivered > 0, account.isInTrouble { endStall() }
            let now = cwinnow_clock_monotonic()
            account.update { $0.fail(error, at: now) }
        } else {
            if account.isInTrouble { endTrouble() }
            passOnReport()
        }
        account.isAbsent = error?.code == .unavailable
        let mustRetry = account.update { bookBatch(on: &$0, delivered: delivered) }
        slot.lock.release()
        if mustRetry { slot.worker.wake() }
    }

    /// Enters the records of a batch in the account, all of which are the program's; returns whether some of them
    /// wait now.
    private func bookBatch(on entries: inout RouteAccount.Entries, delivered: Int) -> Bool {
        let count = min(delivered, held.count)
        if account.isClosed {
            unsafe held.visit(0..<count) { header, _ in
                account.countDelivered(header, in: &entries)
            }
        } else {
            account.countDelivered(held.counts(ofFirst: count), in: &entries)
        }
        unsafe held.visit(count..<held.count) { header, arguments in
            if entries.isOver(header) { return }
            let isKept = unsafe entries.queue.append(header, arguments: arguments)
            if !isKept { entries.lose(header, cause: .queueFull) }
        }
        held.removeAll()
        return !entries.queue.isEmpty
    }
}
