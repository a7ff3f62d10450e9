// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import Synchronization
internal import WinnowCore

/// The thread that delivers what waits in the rings.
///
/// It is started by the first record that goes to a ring. While records come it naps between its
/// rounds, and no call has to wake it. After a millisecond without any it sleeps until a record wakes
/// it: an idle process stays idle, and a record that comes now and then waits for no nap to end.
///
/// A call publishes its record, or counts its loss, and then reads how asleep the worker is, without a
/// fence between the two; the worker says that it is asleep, has every thread of the process pass a
/// fence, and then looks whether there is anything. So either the worker sees what the call has left,
/// or the call sees that the worker is asleep, takes that back and wakes it; and futex(2) puts no
/// worker to sleep of which that was taken back.
enum DeferredWorker {
    /// What the lock guards.
    private final class State: @unchecked Sendable {
        // SAFETY: every access holds the lock.
        let lock = Lock()
        var isStarted = false
        var answered: UInt64 = 0
        /// Begun when the worker was.
        lazy var clock = StampClock()
    }

    /// Who may take records out of the rings.
    private enum Turn {
        /// Nobody does, and the worker may begin.
        static let free = 0
        /// The worker does.
        static let worker = 1
        /// The end of the process does, and the worker may no more.
        static let ending = 2
        /// The same, and the worker has seen it.
        static let ended = 3
    }

    private static let state = State()
    private static let asked = Atomic<UInt64>(0)
    private static let turn = Atomic<Int>(Turn.free)

    /// A nap, and how long there are naps after the last record, in nanoseconds.
    ///
    /// Waking the worker costs a log call one system call, 5 to 20 µs on virtual processors; with naps, at
    /// most one call per millisecond pays for it. On such machines, a nap sometimes ends milliseconds late,
    /// while a thread that is woken runs after some 10 µs: who logs seldom is better off with waking.
    private static let nap: UInt64 = 100_000
    private static let napTime: UInt64 = 1_000_000

    /// How long the end of the process waits for the worker to come out of a sink.
    private static let endPatience: UInt64 = 200_000_000

    /// The lock that guards the worker's state, for fork(2).
    static var lock: Lock { state.lock }

    /// What a fork(2) waits for.
    static let duty = Duty()

    /// Starts the worker where there is none; false where the system has no thread for it.
    ///
    /// MT-Safe.
    static func begin() -> Bool {
        state.lock.withLock {
            if state.isStarted { return true }
            Ending.prepare()
            cwinnow_worker_prepare()
            state.clock = StampClock()
            setState(cwinnow_worker_awake)
            state.isStarted = OwnThread.start("winnow", run) == 0
            if !state.isStarted { setState(cwinnow_worker_absent) }
            return state.isStarted
        }
    }

    /// Wakes the worker, or starts it; keeps errno.
    ///
    /// MT-Safe.
    static func wake() {
        if cwinnow_worker_state() == UInt32(cwinnow_worker_absent.rawValue) {
            let savedErrno = cwinnow_errno()
            defer { cwinnow_set_errno(savedErrno) }
            _ = begin()
        } else {
            cwinnow_worker_wake()
        }
    }

    /// Waits until the worker has delivered what was published before, or until the time has passed,
    /// on CLOCK_MONOTONIC.
    ///
    /// Returns whether it has. Not on the worker's own thread.
    static func flush(until deadline: UInt64) -> Bool {
        guard !RingTable.isEmpty else { return true }
        let ticket = asked.add(1, ordering: .sequentiallyConsistent).newValue
        wake()
        cwinnow_worker_notify()
        state.lock.acquire()
        defer { state.lock.release() }
        while state.answered < ticket {
            let now = cwinnow_clock_monotonic()
            guard state.isStarted, now < deadline else { return false }
            state.lock.wait(min(deadline - now, 10_000_000))
        }
        return true
    }

    /// Forgets the parent's thread: in the child of a fork.
    static func forgetParent() {
        state.lock.reset()
        duty.forgetParent()
        state.isStarted = false
        state.answered = 0
        asked.store(0, ordering: .relaxed)
        turn.store(Turn.free, ordering: .relaxed)
        ClaimedRecords.forgetParent()
        setState(cwinnow_worker_absent)
    }

    private static func setState(_ state: cwinnow_worker_sleep) {
        cwinnow_worker_set_state(UInt32(state.rawValue))
    }

    private static func run() {
        duty.begin()
        cwinnow_ending_note_worker()
        unsafe ThreadState.current.pointee.isWorker = true
        Ending.prepareThread()
        var rings = unsafe DeferredRound(clock: state.lock.withLock { state.clock })
        var lastRecord = cwinnow_clock_monotonic()
        var lastTicket: UInt64 = 0
        while true {
            let ticket = asked.load(ordering: .sequentiallyConsistent)
            take(from: Turn.free, to: Turn.worker)
            let isAny = unsafe rings.run()
            take(from: Turn.worker, to: Turn.free)
            answer(unsafe rings.isAnyLeft ? lastTicket : ticket)
            lastTicket = ticket
            duty.pauseForFork()
            let now = cwinnow_clock_monotonic()
            if isAny {
                lastRecord = now
            } else {
                let isNap = now - lastRecord < napTime
                unsafe rest(isNap, unlessAskedSince: ticket, orAnyIn: rings)
            }
        }
    }

    private static func answer(_ ticket: UInt64) {
        state.lock.withLock {
            guard state.answered != ticket else { return }
            state.answered = ticket
            state.lock.wake()
        }
    }

    /// Naps or sleeps; the latter only where there is nothing to do.
    private static func rest(
        _ isNap: Bool,
        unlessAskedSince ticket: UInt64,
        orAnyIn rings: borrowing DeferredRound
    ) {
        let state = isNap ? cwinnow_worker_napping : cwinnow_worker_asleep
        // What comes after this wakes the worker, and what came before it is seen below.
        setState(state)
        let isAsked = asked.load(ordering: .sequentiallyConsistent) != ticket
        if !isAsked, unsafe isNap || rings.isNothingLeft {
            duty.rest { cwinnow_worker_wait(UInt32(state.rawValue), isNap ? nap : 0) }
        }
        setState(cwinnow_worker_awake)
    }

    private static func take(from: Int, to: Int) {
        let outcome = turn.compareExchange(
            expected: from,
            desired: to,
            ordering: .sequentiallyConsistent
        )
        if !outcome.exchanged { endWhereAbandoned() }
    }
}

/// The end of the process, for which what the worker could not deliver in time is lost.
extension DeferredWorker {
    /// Whether the end of the process has asked for the rings.
    ///
    /// MT-Safe.
    static var isAbandoned: Bool { turn.load(ordering: .acquiring) >= Turn.ending }

    /// Leaves the rings to the end of the process where it has asked for them: the worker, between
    /// two records.
    static func endWhereAbandoned() {
        guard isAbandoned else { return }
        unsafe Delivery.commit(on: ThreadState.current)
        turn.store(Turn.ended, ordering: .releasing)
        while true { cwinnow_thread_pause(1_000_000_000) }
    }

    /// Counts what lies in the rings as lost, and what found no room there, and keeps the worker from
    /// delivering it.
    ///
    /// A worker that is inside a sink stays there: its record is in flight.
    static func abandon() {
        let before = turn.exchange(Turn.ending, ordering: .sequentiallyConsistent)
        let deadline = cwinnow_clock_monotonic() + endPatience
        while before == Turn.worker, turn.load(ordering: .acquiring) != Turn.ended,
            cwinnow_clock_monotonic() < deadline
        {
            cwinnow_thread_pause(1_000_000)
        }
        unsafe ClaimedRecords.takeAll { header, stop in unsafe lose(header, at: stop) }
        guard let topology = Pipeline.topology else { return }
        var clock = state.lock.withLock { state.clock }
        clock.synchronize()
        unsafe RingTable.rings.forEach { ring in
            unsafe abandon(ring, isNested: false, clock: &clock, by: topology)
            if let nested = unsafe cwinnow_ring_nested(ring) {
                unsafe abandon(nested, isNested: true, clock: &clock, by: topology)
            }
            _ = unsafe RingLoss.enter(from: ring)
        }
    }

    private static func abandon(
        _ ring: UnsafeMutablePointer<cwinnow_ring>,
        isNested: Bool,
        clock: inout StampClock,
        by topology: Topology
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
            var record = unsafe RingRecord(at: address, in: ring, isNested: isNested)
            unsafe position += record.ringByteCount
            // One that no route takes is filtered: see `Delivery.accept`.
            guard unsafe topology.levels.contains(record.header.level) else { continue }
            unsafe record.setTime(clock.time(of: record.stamp))
            let counts = unsafe RecordNumbers.counts(of: &record, count: 1)
            unsafe RecordNumbers.number(&record, counts: counts, count: 1)
            unsafe topology.stops.all.forEach { unsafe lose(record.header, at: $0) }
        }
        unsafe cwinnow_ring_set_taken(ring, end)
    }

    private static func lose(_ header: RecordHeader, at stop: RouteStops.Stop) {
        guard unsafe stop.levels.contains(header.level) else { return }
        unsafe stop.route._withUnsafeGuaranteedRef { $0.lose(header, cause: .exit) }
    }
}
