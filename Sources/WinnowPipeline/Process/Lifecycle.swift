// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import Synchronization
internal import WinnowCore

/// The end of the process, and its duplication by fork(2): see the extensions.
enum Lifecycle {
    /// Registers what runs at exit and around a fork, once.
    static func begin() {
        _ = registered
    }

    private static let registered: Bool = {
        unsafe Ending.body = { answerSignals() }
        unsafe RingReader.body = { DeferredWorker.run() }
        unsafe Outlet.serve = { SinkWorker.serve(on: $0) }
        unsafe OwedRest.send = { Outlet.sharedWorker.wake() }
        _ = LastWords.standardError
        prepareForFork()
        for _ in 0..<exitLimit { _ = cwinnow_at_exit { endAtExit() } }
        _ = cwinnow_at_fork({ beforeFork() }, { afterForkInParent() }, { afterForkInChild() })
        return true
    }()

    /// How many threads may call exit(3) at a time.
    ///
    /// Before glibc 2.41, a second thread does not wait for the first, but runs the next handler of the list;
    /// if there is none, it ends the process at once.
    private static let exitLimit = 4

    /// The thread that has already run the end; several threads may call exit(3).
    static let ended = Atomic<Int32>(0)

    private static func endAtExit() {
        let thread = cwinnow_thread_id()
        guard ended.load(ordering: .relaxed) != thread else { return }
        if cwinnow_process_is_untold_child() { endUntoldChild() } else { end(by: .exit) }
        ended.store(thread, ordering: .relaxed)
    }

    /// Ends a child that nobody told of its fork: it would wait for threads that only its parent has.
    private static func endUntoldChild() {
        // Without a lock, which a thread of the parent may have held.
        guard cwinnow_ending_has_unread() || cwinnow_ending_waiting() > 0 else { return }
        LastWords.say(
            "a child of _Fork or clone ends, which has no worker: what it has logged is lost"
        )
        let ring = unsafe ThreadState.known?.pointee.ring
        let address = UInt(bitPattern: ring)
        // With a bound, as a thread of the parent may have held what this needs.
        DetachedCall.run(until: cwinnow_clock_monotonic() + Bounds.End.untoldChild) {
            _ = cwinnow_process_id_find()
            unsafe forgetParent(exceptWhatIsIn: UnsafeMutablePointer(bitPattern: address))
            deliverRest(isWorkerAlive: false, within: Bounds.End.untoldChild)
        }
    }

    /// Has the sinks take what waits, for the last time.
    static func end(by end: ProcessEnd) {
        let cancellation = cwinnow_cancellation_put_off()
        defer { cwinnow_cancellation_restore(cancellation) }
        guard !ThreadRole.isInsideSink else {
            return endElsewhere(by: end)
        }
        deliverForLast(by: end)
        endHandingOver()
        if end == .exit { part() }
    }

    /// Does the same where a sink ends the process, which cannot be waited for on its own thread.
    private static func endElsewhere(by end: ProcessEnd) {
        let deadline = cwinnow_clock_monotonic() + 2 * Bounds.End.sinks
        _ = DetachedCall.run(until: deadline) {
            // On this thread after all, if the system has no other.
            guard ThreadRole.isInsideSink else { return Lifecycle.end(by: end) }
            LastWords.say("the process ends within a sink; records that are lost: \(waitingCount)")
        }
    }

    /// How many records wait, in the rings or for the sink for which most do.
    private static var waitingCount: UInt64 {
        ((Topology.current?.routes ?? []).map(\.status.queued).max() ?? 0) + RingTable.unreadCount
    }

    /// Has the sinks take what waits, and what is logged until other threads are held back; counts the rest
    /// as lost.
    ///
    /// - Parameters:
    ///   - end: How the process ends.
    ///   - isWorkerAlive: Whether the worker can deliver what lies in the rings.
    static func deliverForLast(
        by end: ProcessEnd,
        isWorkerAlive: Bool = true
    ) {
        beginDraining(by: end)
        let deadline = cwinnow_clock_monotonic() + Bounds.End.sinks
        let isDelivered = deliverRest(isWorkerAlive: isWorkerAlive)
        EndGate.close()
        RunIdentity.holdBack()
        awaitCalls(until: deadline)
        // What came meanwhile may wait now: for sinks that take what they are given, in the same time.
        let isAnyLeft = Topology.openRoutes.contains { $0.route.account.isAnyLeft }
        if isAnyLeft {
            let now = cwinnow_clock_monotonic()
            let rest = max(
                isDelivered && now < deadline ? deadline - now : 0,
                Bounds.End.lateRecords
            )
            // Nothing comes after what is delivered now, or counted as lost.
            EndGate.hold(for: rest + Bounds.End.gate)
            deliverRest(isWorkerAlive: isWorkerAlive, within: rest)
            EndGate.hold(for: Bounds.End.gate)
        }
        awaitCalls()
        closeAccounts()
    }

    /// Has everything that is not with the pipeline yet come to it, and no more go to a ring.
    private static func beginDraining(by end: ProcessEnd) {
        Stage.reach(.draining)
        Registration.handOver(at: end)
        Topology.noteUnderway()
        // What is logged from now on, by other handlers of the exit, goes to no ring.
        cwinnow_delivery_set_epoch(0)
        CallSite.reportSuppressed()
        // A signal may have stopped a thread that holds what this needs.
        if end != .killed { News.tellFindings() }
    }

    /// Makes what later exit handlers log reach the program's own sinks before their calls return, because
    /// nobody waits for the workers of those sinks any more.
    private static func endHandingOver() {
        for route in Topology.current?.routes ?? [] { route.account.isHandedOver = false }
    }

    /// Makes the sinks for which no record waits close the conversation with their destinations.
    private static func part() {
        guard !ThreadRole.isInsideSink else { return }
        let deadline = cwinnow_clock_monotonic() + Bounds.sink
        for route in Topology.current?.routes ?? [] where route.status.queued == 0 {
            route.part(until: deadline)
        }
    }

    /// Does the work of an exit early, while the libraries that some sinks need still work; other handlers
    /// run between this and the end, and may log.
    static func endEarly() {
        beginDraining(by: .mendable)
        deliverRest()
        endHandingOver()
        part()
    }

    /// Has the sinks take what waits, and counts as lost, and says, what they do not take in time.
    ///
    /// - Parameters:
    ///   - isWorkerAlive: Whether the worker can deliver what lies in the rings.
    ///   - time: How long they have, in nanoseconds; a quarter of it is kept to report, to a sink that takes
    ///     records too slowly, what it has not taken.
    /// - Returns: Whether the sinks have taken all.
    @discardableResult
    static func deliverRest(
        isWorkerAlive: Bool = true,
        within time: UInt64 = Bounds.End.sinks
    ) -> Bool {
        // The exit and the end by a signal may meet.
        guard delivering.acquire(within: 2 * Bounds.End.sinks) else { return false }
        defer { delivering.release() }
        let reportTime = time / 4
        Topology.openRoutes.forEach { $0.route.makeRoom() }
        if isWorkerAlive,
            Delivery.flush(within: time - reportTime, leavesAbsent: true, makesRoom: true)
        {
            News.tell()
            // Sinks of the program's own get the news from their workers.
            let isAnyTold = Topology.openRoutes.contains { $0.route.account.isBacklogged }
            if isAnyTold { _ = Delivery.flush(within: reportTime, leavesAbsent: true) }
            return true
        }
        DeferredWorker.abandon()
        abandon(Topology.openRoutes, until: cwinnow_clock_monotonic() + reportTime)
        return false
    }

    /// Counts what the sinks of routes have not taken as lost, and says so.
    static func abandon(_ routes: [(mark: UInt64, route: Route)], until deadline: UInt64) {
        var unheard: [[String]] = []
        Delivery.visit(routes.map { ($0.mark, $0.route) }) {
            unheard.append(Delivery.abandon($0, cause: .exit, until: deadline))
        }
        // The routes of the current configuration come first; earlier ones were never told its problems.
        tellUnheard(Array(unheard.prefix(Topology.current?.routes.count ?? 0)))
        let end = cwinnow_clock_monotonic() + Bounds.sink
        for (_, route) in routes {
            guard let report = route.takeUntold() else { continue }
            let reason = route.trouble.map { "; \($0)" } ?? ""
            let words = "\(route.name): \(report.text)\(reason)"
            if !News.tellOthersAtOnce(than: route, words, until: end) { LastWords.say(words) }
        }
    }

    /// Says on standard error what Winnow had to report and no route could take, such as what is wrong with
    /// the address of the only one.
    private static func tellUnheard(_ texts: [[String]]) {
        guard let first = texts.first else { return }
        let others = texts.dropFirst()
        for text in first where others.allSatisfy({ $0.contains(text) }) { LastWords.say(text) }
    }

    /// When a fault last gave the sinks two seconds in vain, on CLOCK_MONOTONIC; 0 if none did, or if they
    /// have taken everything at a later one.
    // SAFETY: read and written with the lock of that held.
    private nonisolated(unsafe) static var lastVain: UInt64 = 0

    /// Has the sinks take what waits, where the process may go on, and counts nothing as lost.
    ///
    /// What they do not take in time waits on, and standard error says how many records that are.
    /// Two seconds in a minute are spent so.
    static func deliverForNow(isWorkerAlive: Bool) {
        guard delivering.acquire(within: 2 * Bounds.End.sinks) else { return }
        defer { delivering.release() }
        Topology.noteUnderway()
        let begin = cwinnow_clock_monotonic()
        let isPause = unsafe lastVain > 0 && begin - lastVain < Bounds.End.faultPause
        let time = isPause ? 0 : Bounds.End.sinks
        if isWorkerAlive, Delivery.flush(within: time, leavesAbsent: true) {
            unsafe lastVain = 0
            return
        }
        guard !isPause else { return }
        unsafe lastVain = begin
        let count = waitingCount
        guard count > 0 else { return }
        let records = count == 1 ? "1 record waits" : "\(count) records wait"
        LastWords.say("a fault, while \(records) for the sinks: lost if it ends the process")
    }

    /// Held by the thread that has the sinks take what waits.
    static let delivering = Lock(.end)
}
