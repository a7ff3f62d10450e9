// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// The worker's rounds through the rings: each delivers what was published when it began, merged by
/// their stamps, and then says so to the threads.
///
/// It lives on the worker's stack, as a class would cost an exclusivity check for each access.
@unsafe
struct DeferredRound: ~Copyable {
    private var sources: [RingSource] = unsafe []
    private var changeCount: UInt64 = .max
    private var clock: StampClock
    private let state = unsafe ThreadState.current
    /// The records of the batches that are open, where the routes that hold them find them.
    private var claimed = ClaimedRecords()
    /// The configuration that takes the records which are delivered now.
    private var plan: Unmanaged<RoutingPlan>?

    /// How long the worker waits for sinks before it gives room in the rings back.
    ///
    /// A part of what a caller waits for that room. A receiver that works makes room within it, and gets its
    /// records in batches and without a copy.
    private static var patience: UInt64 {
        min(DeferredSettings.patience / 4, Bounds.RingWorker.sinks)
    }

    /// - Parameter clock: One that began before the first record did.
    init(clock: StampClock) {
        unsafe self.clock = clock
    }

    /// Delivers what is published now; returns whether there was anything.
    mutating func run() -> Bool {
        // The time is read first: a ring that is added after we have read the table then holds only later
        // records. One added between the two could hold a record that belongs before one of this round.
        let now = cwinnow_stamp_in_order()
        unsafe clock.synchronize()
        unsafe clock.show()
        unsafe adoptRings()
        for index in unsafe sources.indices {
            unsafe sources[index].look(until: now)
            unsafe RingTable.noteWaiting(sources[index].waitingByteCount)
        }
        SinkPatience.rest = unsafe Self.patience
        let isAnyDelivered = unsafe deliverAll()
        let isAnyLost = unsafe tellLosses()
        if isAnyDelivered || isAnyLost {
            SinkPatience.limited(to: 0) { unsafe endBatch() }
            for index in unsafe sources.indices { unsafe sources[index].provideAhead() }
            RingReader.endWhereTaken()
        }
        unsafe freeClosed()
        return isAnyDelivered || isAnyLost
    }

    /// Whether something that was published when the round began is left to the next one.
    var isAnyLeft: Bool { unsafe sources.contains { unsafe $0.isPostponed } }

    /// Whether one more round would find nothing: no record, no loss, no other rings.
    ///
    /// The worker asks it when it has said that it is asleep.
    var isNothingLeft: Bool {
        guard unsafe RingTable.changeCount == changeCount else { return false }
        return unsafe sources.allSatisfy { unsafe $0.isNothingLeft }
    }

    /// Frees the rings of threads that have ended, and forgets them at once: the next ring may have
    /// the address of one of them.
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
        let rings = unsafe RingTable.rings()
        unsafe rings.forEach { ring in
            let isKnown = unsafe sources.contains { unsafe $0.ring == ring }
            if !isKnown { unsafe sources.append(RingSource(ring)) }
        }
    }

    private mutating func deliverAll() -> Bool {
        // In a variable of its own the array is not looked at with each record.
        var own = unsafe sources
        unsafe sources = unsafe []
        defer { unsafe sources = unsafe own }
        return unsafe own.withUnsafeMutableBufferPointer { unsafe deliverAll(from: $0) }
    }

    private mutating func deliverAll(from sources: UnsafeMutableBufferPointer<RingSource>) -> Bool {
        let patience = unsafe Self.patience
        var isAny = false
        var start = 0
        while true {
            let claim = unsafe claim(from: sources, at: start)
            guard unsafe claim.isAny else {
                unsafe release(sources)
                return isAny
            }
            isAny = true
            let end = unsafe claim.end
            while start < end {
                let run = unsafe begin(start..<end, knowing: claim.plan)
                while start < run {
                    unsafe deliver(start)
                    start &+= 1
                }
            }
            // This is how often waiting threads get room, and sinks deliver what they hold back.
            if end < ClaimedRecords.capacity, SinkPatience.rest >= patience { continue }
            unsafe release(sources)
            SinkPatience.rest = patience
            start = 0
        }
    }

    /// Takes the next records, as many as are claimed at a time, and numbers them.
    ///
    /// - Returns: The end of their places; whether there were any, which may all be of levels that no route
    ///   takes; and the configuration that was found in use, which is there where any is left.
    private mutating func claim(
        from sources: UnsafeMutableBufferPointer<RingSource>,
        at start: Int
    ) -> (end: Int, isAny: Bool, plan: Unmanaged<RoutingPlan>?) {
        // What the end of the process has counted as lost gets no second number.
        RingReader.endWhereTaken()
        RingReader.giveWay()
        if start == 0 { unsafe claimed.prepare() }
        let limit = min(start + ClaimedRecords.countAtATime, ClaimedRecords.capacity)
        var index = start
        while index < limit, let (first, latest) = unsafe Self.earliest(of: sources) {
            // As long as no other thread was earlier, nothing is compared.
            unsafe index += sources[first].take(
                atMost: limit - index,
                upTo: latest,
                to: claimed[index]
            )
        }
        // There are rings only where there was a configuration, and none is ever taken back.
        guard index > start, let plan = unsafe RoutingPlan.unmanagedCurrent else {
            return (start, index > start, nil)
        }
        for index in start..<index {
            let record = unsafe claimed[index]
            unsafe record.pointee.setTime(clock.time(of: record.pointee.stamp))
        }
        let wanted = unsafe plan._withUnsafeGuaranteedRef { plan in
            unsafe claimed.number(start..<index, knowing: plan)
        }
        return unsafe (wanted.upperBound, true, plan)
    }

    /// Begins to deliver records that have their numbers; returns the end of the first ones that one configuration
    /// takes.
    private mutating func begin(_ range: Range<Int>, knowing known: Unmanaged<RoutingPlan>?) -> Int
    {
        guard let known = unsafe known else { return range.upperBound }
        let run = unsafe claimed.run(of: range, knowing: known)
        if unsafe plan?.toOpaque() != run.plan.toOpaque() {
            // A sink of both configurations is free for the new one.
            OpenBatches.commit()
            unsafe plan = unsafe run.plan
        }
        return unsafe run.end
    }

    /// The source with the earliest record, and the stamp of the earliest record of the others.
    private static func earliest(
        of sources: UnsafeMutableBufferPointer<RingSource>
    ) -> (index: Int, limit: UInt64)? {
        var best: Int?
        var stamp = UInt64.max
        var second = UInt64.max
        for index in sources.indices {
            let next = unsafe sources[index].stamp
            if next < stamp {
                second = stamp
                stamp = next
                best = index
            } else if next < second {
                second = next
            }
        }
        guard let best else { return nil }
        return (best, second)
    }

    /// Gives the room of the records back that were taken: each is in the hands of all routes, whatever
    /// their sinks still do with it.
    private func release(_ sources: UnsafeMutableBufferPointer<RingSource>) {
        OpenBatches.commit()
        // A sink may have taken long, and the end of the process looks at the rings meanwhile.
        RingReader.endWhereTaken()
        for index in sources.indices { unsafe sources[index].release() }
        unsafe claimed.release()
    }

    @inline(__always)
    private func deliver(_ index: Int) {
        guard let plan = unsafe plan else { return }
        let record = unsafe claimed[index]
        let isApart = unsafe record.pointee.isApart
        // Behind what sinks hold back, which they may not return from.
        if isApart { OpenBatches.commit() }
        RingReader.endWhereTaken()
        if isApart {
            unsafe deliverApart(record, by: plan)
        } else {
            unsafe Distribution.deliver(record, on: state, by: plan)
        }
        guard unsafe !state.pointee.pending.isEmpty else { return }
        OpenBatches.commit()
        unsafe Distribution.deliverPending(on: state)
    }

    /// Delivers a record whose arguments are not in the ring: at once.
    @inline(never)
    private func deliverApart(
        _ record: UnsafeMutablePointer<RingRecord>,
        by plan: Unmanaged<RoutingPlan>
    ) {
        unsafe Distribution.deliver(record, on: state, by: plan, isApart: true)
        unsafe record.pointee.end()
    }

    /// Enters what found no room in the accounts, as records with numbers of their own.
    private func tellLosses() -> Bool {
        var isAny = false
        for index in unsafe sources.indices where unsafe sources[index].tellLosses() {
            isAny = true
        }
        return isAny
    }

    /// Ends the batch: reports losses, and has the sinks hand on what they hold back.
    ///
    /// A sink that is busy with another thread is left to it.
    private func endBatch() {
        guard let plan = RoutingPlan.current else { return }
        Distribution.visit(plan.routes) { route in
            if !route.isForeign {
                _ = route.reportAndFlush(until: 0)
            } else if route.account.isBehind, !route.slot.worker.wake() {
                var content = RecordContent()
                _ = route.retry(limit: .max, content: &content)
                _ = route.reportAndFlush()
            }
        }
    }
}
