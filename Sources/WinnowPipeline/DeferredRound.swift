// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// The worker's rounds through the rings: each delivers what was published when it began, merged by
/// time, and then says so to the threads.
///
/// It lives on the worker's stack, as a class would cost an exclusivity check for each access.
@unsafe
struct DeferredRound: ~Copyable {
    private var sources: [RingSource] = unsafe []
    private var changeCount: UInt64 = .max
    private let state = unsafe ThreadState.current

    /// Delivers what is published now; returns whether there was anything.
    mutating func run() -> Bool {
        unsafe adoptRings()
        for index in unsafe sources.indices { unsafe sources[index].look() }
        let isAnyDelivered = unsafe deliverAll()
        let isAnyLost = unsafe tellLosses()
        if isAnyDelivered || isAnyLost { unsafe settle() }
        for index in unsafe sources.indices { unsafe sources[index].release() }
        unsafe freeClosed()
        return isAnyDelivered || isAnyLost
    }

    /// Frees the rings of threads that have ended, and forgets them at once: the next ring may have
    /// the same address.
    private mutating func freeClosed() {
        unsafe sources.removeAll { source in
            guard unsafe source.isClosed else { return false }
            unsafe RingTable.remove(source.ring)
            return true
        }
    }

    private mutating func adoptRings() {
        let count = RingTable.changeCount
        guard unsafe count != changeCount else { return }
        unsafe changeCount = count
        let rings = unsafe RingTable.rings
        unsafe rings.forEach { ring in
            let isKnown = unsafe sources.contains { unsafe $0.ring == ring }
            if !isKnown { unsafe sources.append(RingSource(ring)) }
        }
    }

    private mutating func deliverAll() -> Bool {
        var count = 0
        while let (first, limit) = unsafe earliest() {
            repeat {
                let record = unsafe sources[first].next()
                unsafe deliver(record)
                count += 1
                // So often a thread that waits for room gets some.
                if count & 63 == 0 { unsafe releaseAll() }
                // As long as no other thread was earlier, nothing is compared.
            } while unsafe sources[first].time <= limit && sources[first].time != .max
        }
        return count > 0
    }

    /// The source with the earliest record, and the time of the earliest record of the others.
    private func earliest() -> (index: Int, limit: UInt64)? {
        var best: Int?
        var time = UInt64.max
        var second = UInt64.max
        for index in unsafe sources.indices {
            let next = unsafe sources[index].time
            if next < time {
                second = time
                time = next
                best = index
            } else if next < second {
                second = next
            }
        }
        guard let best else { return nil }
        return (best, second)
    }

    private func releaseAll() {
        for index in unsafe sources.indices { unsafe sources[index].release() }
    }

    private func deliver(_ record: consuming RingRecord) {
        DeferredWorker.endWhereAbandoned()
        unsafe record.number()
        unsafe Delivery.deliver(record.header, arguments: record.arguments, on: state)
        unsafe record.end()
        if unsafe !state.pointee.pending.isEmpty { unsafe Delivery.deliverPending(on: state) }
    }

    /// Enters what found no room in the accounts, as records with numbers of their own.
    private mutating func tellLosses() -> Bool {
        var isAny = false
        for index in unsafe sources.indices {
            unsafe sources[index].takeLosses { level, count, times in
                isAny = true
                let loss = RingLoss(
                    level: level,
                    count: count,
                    numbers: Pipeline.takeNumbers(count),
                    times: times
                )
                for route in Pipeline.topology?.routes ?? [] where route.levels.contains(level) {
                    route.lose(loss)
                }
            }
        }
        return isAny
    }

    /// Ends the batch: reports losses, and has the sinks hand on what they hold back.
    ///
    /// A sink that is busy with another thread is left to it.
    private func settle() {
        guard let topology = Pipeline.topology else { return }
        Delivery.visit(zip(topology.marks, topology.routes)) { _ = $0.settleAccount(until: 0) }
    }
}
