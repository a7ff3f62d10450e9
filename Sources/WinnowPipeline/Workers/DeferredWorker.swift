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
        var naps = Naps(lastRecord: cwinnow_clock_monotonic())
        var lastTicket: UInt64 = 0
        while true {
            let ticket = RingReader.lastTicket
            RingReader.pass(from: .free, to: .worker)
            let isAny = unsafe rings.run()
            RingReader.pass(from: .worker, to: .free)
            RingReader.answer(unsafe rings.isAnyLeft ? lastTicket : ticket)
            lastTicket = ticket
            RingReader.workerLock.pauseForFork()
            Control.look()
            let now = cwinnow_clock_monotonic()
            if isAny {
                naps.noteRecords(at: now)
            } else {
                let isNap = naps.takeNext(at: now)
                if !isNap, !cwinnow_worker_is_prepared() {
                    // Takes milliseconds if the process had more threads at the start: not before the first record.
                    cwinnow_worker_prepare()
                    continue
                }
                RingReader.rest(isNap, unlessAskedSince: ticket) { unsafe rings.isNothingLeft }
            }
        }
    }
}

/// Whether the worker naps when it has found nothing, or sleeps until a record wakes it.
///
/// It naps for a millisecond after the last record, and then as often as it has saved up: some naps for each
/// round that found records. Where other programs want the processors, a thread that logs all the time is
/// stopped for some milliseconds, and would have to wake the worker each time; for one that logs seldom, the
/// worker naps hardly longer.
private struct Naps {
    private var lastRecord: UInt64
    private var saved = 0

    init(lastRecord: UInt64) {
        self.lastRecord = lastRecord
    }

    mutating func noteRecords(at now: UInt64) {
        lastRecord = now
        saved = min(saved + Bounds.RingWorker.napsSavedByRound, Bounds.RingWorker.mostNapsSaved)
    }

    /// Returns whether the worker naps once more.
    mutating func takeNext(at now: UInt64) -> Bool {
        if now - lastRecord < Bounds.RingWorker.naps { return true }
        guard saved > 0 else { return false }
        saved -= 1
        return true
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
