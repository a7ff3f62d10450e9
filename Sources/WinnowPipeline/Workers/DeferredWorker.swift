// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// The worker of deferred delivery: delivers what waits in the rings, on the thread of ``RingReader``.
enum DeferredWorker {
    /// Delivers for as long as the process lives.
    static func run() {
        RingReader.workerLock.begin()
        cwinnow_ending_note_worker()
        ThreadRole.readsRings = true
        Ending.prepareThread()
        var rings = unsafe DeferredRound(clock: RingReader.clock)
        var lastRecord = cwinnow_clock_monotonic()
        var lastTicket: UInt64 = 0
        var isRegistered = false
        while true {
            let ticket = RingReader.lastTicket
            RingReader.pass(from: .free, to: .worker)
            let isAny = unsafe rings.run()
            RingReader.pass(from: .worker, to: .free)
            RingReader.answer(unsafe rings.isAnyLeft ? lastTicket : ticket)
            lastTicket = ticket
            RingReader.workerLock.pauseForFork()
            let now = cwinnow_clock_monotonic()
            if isAny {
                lastRecord = now
            } else {
                let isNap = now - lastRecord < Bounds.RingWorker.naps
                if !isNap, !isRegistered {
                    // Takes milliseconds where the process has more threads: not before the first record.
                    cwinnow_worker_prepare()
                    isRegistered = true
                    continue
                }
                RingReader.rest(isNap, unlessAskedSince: ticket) { unsafe rings.isNothingLeft }
            }
        }
    }
}

/// The end of the process, for which what the worker could not deliver in time is lost.
extension DeferredWorker {
    /// Gives a number to what lies in the rings, and to what found no room there, and keeps the worker from
    /// delivering it: what has a number and comes to no sink is counted as lost.
    ///
    /// A worker that is inside a sink stays there: its record is on its way.
    static func abandon() {
        let wasWorkers = RingTurn.takeForEnd()
        let deadline = cwinnow_clock_monotonic() + Bounds.End.worker
        while wasWorkers, !RingTurn.isHandedToEnd, cwinnow_clock_monotonic() < deadline {
            cwinnow_thread_pause(Bounds.End.workerPause)
        }
        guard let levels = RoutingPlan.current?.levels else { return }
        unsafe RingTable.rings(within: Bounds.sink).forEach { ring in
            unsafe number(ring, isNested: false, of: levels)
            if let nested = unsafe cwinnow_ring_nested(ring) {
                unsafe number(nested, isNested: true, of: levels)
            }
            _ = unsafe RingLosses.enter(from: ring)
        }
    }

    private static func number(
        _ ring: UnsafeMutablePointer<cwinnow_ring>,
        isNested: Bool,
        of levels: LevelSet
    ) {
        let end = unsafe cwinnow_ring_published(ring)
        var position = unsafe max(cwinnow_ring_taken(ring), cwinnow_ring_read(ring))
        while position < end {
            let address = unsafe cwinnow_ring_address(ring, position)
            let word = unsafe UnsafeRawPointer(address).load(as: UInt64.self)
            if word & UInt64(CWINNOW_RING_FILLER) != 0 {
                position += word & UInt64(CWINNOW_RING_SIZE)
                continue
            }
            let record = unsafe RingRecord(at: address, in: ring, isNested: isNested)
            unsafe position += record.ringByteCount
            var header = unsafe record.header
            // One that no route takes is filtered: see `Distribution.accept`.
            if levels.contains(header.level) { RecordNumbers.number(&header) }
        }
        unsafe cwinnow_ring_set_taken(ring, end)
    }
}
