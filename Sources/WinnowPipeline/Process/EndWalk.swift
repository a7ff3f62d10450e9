// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import Synchronization
internal import WinnowCore

/// The way to an end of the process, which whoever ends it walks: an exit, a signal, a fault, several threads one
/// after the other.
struct EndWalk {
    /// Held by the thread that has the sinks take what waits.
    static let lock = Lock(.end)

    private let end: ProcessEnd
    /// Whether the worker can deliver what lies in the rings.
    private let isWorkerAlive: Bool
    /// How much of their time the sinks had, in nanoseconds, whoever ends the process.
    // SAFETY: read and written with the lock held.
    private nonisolated(unsafe) static var spent: UInt64 = 0
    /// The thread that has walked to ``ProcessEnd/exit``: exit(3) has several handlers for it.
    // SAFETY: read and written with the lock held.
    private nonisolated(unsafe) static var exiting: Int32 = 0
    /// Whether a thread has closed the accounts, and told what was lost; until another begins to.
    private static let isClosed = Atomic<Bool>(false)
    /// Whether the sinks have taken all that waited.
    private var isDelivered = false

    /// Takes the steps to an end.
    ///
    /// - Parameters:
    ///   - end: Which one.
    ///   - isWorkerAlive: Whether the worker can deliver what lies in the rings.
    static func run(to end: ProcessEnd, isWorkerAlive: Bool = true) {
        // The call that this thread is within does not go on, and brings nothing more to a sink.
        if end != .mendable { unsafe ThreadState.known?.pointee.call.pointee.end() }
        guard !ThreadRole.isInsideSink else {
            return runElsewhere(to: end, isWorkerAlive: isWorkerAlive && !ThreadRole.readsRings)
        }
        let cancellation = cwinnow_cancellation_put_off()
        defer { cwinnow_cancellation_restore(cancellation) }
        let isOver = Self.isOver
        // Nothing is left to do but to take leave, as another thread may do now.
        if isOver, end == .killed, isClosed.load(ordering: .acquiring) { return }
        if !isOver { gather(for: end) }
        // The exit and the end by a signal may meet.
        guard lock.acquire(within: 2 * Bounds.End.sinks) else { return }
        defer { lock.release() }
        let thread = cwinnow_thread_id()
        if unsafe Self.isOver || end == .exit && exiting == thread { return }
        var walk = EndWalk(end: end, isWorkerAlive: isWorkerAlive)
        end.steps.forEach { walk.take($0) }
        if end == .exit { unsafe exiting = thread }
    }

    /// Begins anew: in the child of a fork.
    static func forgetParent() {
        lock.reset()
        unsafe spent = 0
        unsafe exiting = 0
        isClosed.store(false, ordering: .relaxed)
    }

    private init(end: ProcessEnd, isWorkerAlive: Bool) {
        self.end = end
        self.isWorkerAlive = isWorkerAlive
    }

    /// Takes the steps on another thread, as a sink ends the process on this one and cannot be waited for here.
    private static func runElsewhere(to end: ProcessEnd, isWorkerAlive: Bool) {
        let time = end.steps.reduce(2 * Bounds.End.sinks) { $0 + $1.time }
        DetachedCall.run(until: cwinnow_clock_monotonic() + time) {
            // On this thread after all, if the system has no other.
            guard ThreadRole.isInsideSink else { return run(to: end, isWorkerAlive: isWorkerAlive) }
            let count = EndWalk.waitingCount
            LastWords.say("the process ends within a sink; records that are lost: \(count)")
        }
    }

    /// Whether the end has been here, and nothing has come since.
    private static var isOver: Bool {
        Stage.has(reached: .closed) && RingTable.unreadCount == 0
            && RoutingPlan.openRoutes.allSatisfy {
                !$0.account.isAnyLeft && !$0.account.isOwingReport
            }
    }

    /// Has everything that is not with the pipeline yet come to it, and no more go to a ring.
    private static func gather(for end: ProcessEnd) {
        if end != .mendable { Stage.reach(.draining) }
        Registration.handOver(at: end)
        RoutingPlan.noteUnderway()
        // What is logged from now on, by other handlers of the exit, goes to no ring.
        if end != .mendable { cwinnow_delivery_set_epoch(0) }
        LimitedSite.reportSuppressed()
        // A signal may have stopped a thread that holds what this needs.
        if end == .exit || end == .early { News.tellFindings() }
    }

    private mutating func take(_ step: EndStep) {
        switch step {
        case .deliver: deliver(within: rest)
        case .deliverForNow: Self.deliverForNow(isWorkerAlive: isWorkerAlive, within: step.time)
        case .gate:
            EndGate.close()
            RunIdentity.holdBack()
        case .awaitCalls: awaitCalls(for: min(step.time, rest))
        case .deliverLate: deliverLate(within: step.time)
        case .close: Self.close(within: step.time)
        case .part: part(until: cwinnow_clock_monotonic() + step.time)
        }
    }
}

/// The steps.
extension EndWalk {
    /// What is left of the sinks' time.
    private var rest: UInt64 {
        unsafe EndStep.deliver.time - min(Self.spent, EndStep.deliver.time)
    }

    /// Has the sinks take what waits, in the time.
    private mutating func deliver(within time: UInt64) {
        guard isWorkerAlive else { return }
        let begin = cwinnow_clock_monotonic()
        isDelivered = Distribution.flush(within: time, leavesAbsent: true, makesRoom: true)
        if isDelivered {
            News.tell()
            // Sinks of the program's own get the news from their workers.
            let isAnyTold = RoutingPlan.openRoutes.contains { $0.account.isBacklogged }
            if isAnyTold { _ = Distribution.flush(within: Bounds.sink, leavesAbsent: true) }
        }
        unsafe Self.spent += cwinnow_clock_monotonic() - begin
    }

    /// Waits until the calls that have a number now have brought their records to the sinks, and holds the others
    /// back meanwhile; for the time, or a little in any case.
    private func awaitCalls(for time: UInt64 = 0) {
        // A call that has passed the gate may be about to get the next number.
        let last = RecordNumbers.last + 1
        let begin = cwinnow_clock_monotonic()
        let end = begin + max(time, Bounds.End.calls)
        while unsafe OpenCall.isAny(upTo: last), cwinnow_clock_monotonic() < end {
            EndGate.hold(for: Bounds.End.gate)
            cwinnow_thread_pause(Bounds.End.callPause)
        }
        unsafe Self.spent += cwinnow_clock_monotonic() - begin
    }

    /// Has the sinks take what came since; if they have taken all so far, they have what is left of their time.
    private mutating func deliverLate(within time: UInt64) {
        let isAnyLeft = RoutingPlan.openRoutes.contains(where: \.account.isAnyLeft)
        if isAnyLeft || RingTable.unreadCount > 0 {
            let longest = isDelivered ? max(rest, time) : time
            // Nothing comes after what is delivered now, or counted as lost.
            EndGate.hold(for: longest + Bounds.End.gate)
            deliver(within: longest)
            EndGate.hold(for: Bounds.End.gate)
        }
        awaitCalls()
    }

    /// Counts what has not come to its sink by now as lost, and says so; nobody gets a number meanwhile.
    ///
    /// - Parameter time: How long the sinks have to take the report, in nanoseconds.
    static func close(within time: UInt64) {
        isClosed.store(false, ordering: .releasing)
        defer { isClosed.store(true, ordering: .releasing) }
        Stage.reach(.closed)
        EndGate.hold(for: 2 * Bounds.End.worker + time + Bounds.End.gate)
        if RingTable.unreadCount > 0 { DeferredWorker.abandon() }
        RingTurn.withoutWorker(within: Bounds.End.worker) {
            abandon(RoutingPlan.openRoutes, until: cwinnow_clock_monotonic() + time)
        }
        RoutingPlan.noteUnderway()
        EndGate.hold(for: Bounds.End.gate)
        // What was not delivered has been counted as lost.
        Recorder.end()
    }

    /// Makes the sinks for which no record waits close the conversation with their destinations.
    private func part(until deadline: UInt64) {
        for route in RoutingPlan.current?.routes ?? [] where route.status.queued == 0 {
            route.part(until: deadline)
        }
    }
}
