// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import Synchronization
internal import WinnowCore

/// The thread that reads the rings: its start, its sleep, and what is asked of it.
///
/// It is started by the first record that goes to a ring. While records come it naps between its
/// rounds, and no call has to wake it. After a millisecond without any, or some more where many came
/// before, it sleeps until a record wakes it: an idle process stays idle, and a record that comes now
/// and then waits for no nap to end.
///
/// A call publishes its record, or counts its loss, and then reads how asleep the reader is, without a
/// fence between the two; the reader says that it is asleep, has every thread of the process pass a
/// fence, and then looks whether there is anything. So either the reader sees what the call has left,
/// or the call sees that the reader is asleep, takes that back and wakes it; and futex(2) puts no
/// reader to sleep of which that was taken back.
enum RingReader {
    /// What the lock guards.
    private final class State: @unchecked Sendable {
        // SAFETY: every access holds the lock.
        let lock = Lock(.ringReader)
        var isStarted = false
        var answered: UInt64 = 0
        /// Begun when the thread was.
        lazy var clock = StampClock()
    }

    private static let state = State()
    private static let asked = Atomic<UInt64>(0)

    /// What the thread runs: see `DeferredWorker`.
    // SAFETY: set once, before there is a ring.
    nonisolated(unsafe) static var body: (@Sendable () -> Void)?

    /// The lock that guards the state, for fork(2).
    static var lock: Lock { state.lock }

    /// What a fork(2) waits for.
    static let workerLock = WorkerLock()

    /// The clock of the records, which began before the first of them.
    static var clock: StampClock { state.lock.withLock { state.clock } }

    /// Starts the thread where there is none; false where the system has no thread for it, and where the end of the
    /// process has taken the rings.
    ///
    /// MT-Safe.
    static func begin() -> Bool {
        state.lock.withLock {
            if RingTurn.isTakenByEnd { return false }
            if state.isStarted { return true }
            guard let body = unsafe body else { return false }
            cwinnow_worker_prepare_alone()
            Ending.prepare()
            state.clock = StampClock()
            setState(cwinnow_worker_awake)
            state.isStarted = OwnThread.start("winnow", body) == 0
            if !state.isStarted { setState(cwinnow_worker_absent) }
            return state.isStarted
        }
    }

    /// Wakes the thread, or starts it; keeps errno.
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

    /// Waits until what was published before is delivered, or until the time has passed, on CLOCK_MONOTONIC.
    ///
    /// Returns whether it is. Not on the thread itself.
    static func flush(until deadline: UInt64) -> Bool {
        // What the end of the process has taken from the thread comes no more.
        guard !RingTable.isEmpty, !RingTurn.isTakenByEnd else { return true }
        let ticket = asked.add(1, ordering: .sequentiallyConsistent).newValue
        wake()
        cwinnow_worker_notify()
        state.lock.acquire()
        defer { state.lock.release() }
        while state.answered < ticket {
            let now = cwinnow_clock_monotonic()
            guard state.isStarted, now < deadline else { return false }
            state.lock.wait(min(deadline - now, Bounds.RingWorker.answerPause))
        }
        return true
    }

    /// Forgets the parent's thread: in the child of a fork.
    static func forgetParent() {
        state.lock.reset()
        workerLock.forgetParent()
        state.isStarted = false
        state.answered = 0
        asked.store(0, ordering: .relaxed)
        cwinnow_worker_forget_parent()
    }

    private static func setState(_ state: cwinnow_worker_sleep) {
        cwinnow_worker_set_state(UInt32(state.rawValue))
    }
}

/// What the thread itself calls.
extension RingReader {
    /// The last ticket with which somebody waits for a flush.
    static var lastTicket: UInt64 { asked.load(ordering: .sequentiallyConsistent) }

    /// Lets everybody go on who waits with the ticket or an earlier one.
    static func answer(_ ticket: UInt64) {
        state.lock.withLock {
            guard state.answered != ticket else { return }
            state.answered = ticket
            state.lock.wake()
        }
    }

    /// Leaves the rings to the end of the process where it has asked for them: the thread, between
    /// two records.
    static func endWhereTaken() {
        guard RingTurn.isTakenByEnd else { return }
        OpenBatches.commit()
        RingTurn.leave()
        workerLock.rest {
            while true { cwinnow_thread_pause(Bounds.End.abandonedPause) }
        }
    }

    /// Passes the turn on to the thread, or from it, as soon as the end of the process lets it.
    static func pass(from: RingTurn, to: RingTurn) {
        while !RingTurn.pass(from: from, to: to) {
            endWhereTaken()
            cwinnow_thread_pause(Bounds.End.workerPause)
        }
    }

    /// Gives the turn back for a moment where that is wanted: between two records, none of which is claimed.
    static func giveWay() {
        guard RingTurn.isWanted else { return }
        OpenBatches.commit()
        pass(from: .worker, to: .free)
        while RingTurn.isWanted { cwinnow_thread_pause(Bounds.End.workerPause) }
        pass(from: .free, to: .worker)
    }

    /// Naps, or sleeps if there is nothing to do.
    ///
    /// - Parameters:
    ///   - isNap: Whether it naps.
    ///   - ticket: The last that was answered, or is about to be.
    ///   - isNothingLeft: Whether the rings have nothing.
    static func rest(_ isNap: Bool, unlessAskedSince ticket: UInt64, _ isNothingLeft: () -> Bool) {
        let state = isNap ? cwinnow_worker_napping : cwinnow_worker_asleep
        // What comes after this wakes the thread, and what came before it is seen below.
        setState(state)
        if lastTicket == ticket, isNap || isNothingLeft() {
            workerLock.rest {
                cwinnow_worker_wait(UInt32(state.rawValue), isNap ? Bounds.RingWorker.nap : 0)
            }
        }
        setState(cwinnow_worker_awake)
    }
}
