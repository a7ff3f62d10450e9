// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import Synchronization
internal import WinnowCore

/// The doubling of the process by fork(2): no other thread is inside what the child has to find whole.
///
/// Before it, the floors above do their part, the sinks take what waits, and the thread that forks acquires the
/// locks, in the order of their ranks: see ``LockRank``. Those of workers and sinks it waits for with a bound: a sink
/// that hangs beyond it is made free in the child, and may be found in the middle of a call. The parent gives the
/// locks back. The child makes them free, forgets the threads and rings of the parent, and begins with empty queues
/// and accounts.
extension Lifecycle {
    /// The locks that the thread which forks holds meanwhile, so that no other thread is inside
    /// what they guard; pthread_atfork(3) hands nothing from one of its functions to the next.
    // SAFETY: written with all of them held, and read before they are given back.
    private nonisolated(unsafe) static var heldLocks: [Lock] = []

    /// The locks of tables that a fork waits for without a bound, in the order of their ranks.
    private static var tableLocks: [Lock] {
        [
            Recorder.lock, RoutingPlan.retired.lock, RingReader.lock, RingTable.lock,
            Categories.lock,
            SinkSlot.tableLock,
        ]
    }

    /// Initializes the globals that the child of a fork uses and that nothing else has initialized yet.
    ///
    /// Swift initializes a global at its first access, and other threads wait meanwhile: if another thread of
    /// the parent was doing that, the child would wait forever.
    static func prepareForFork() {
        for lock in [EndWalk.lock] + tableLocks { lock.withLock {} }
        // The types of what the child looks for when it logs, and at its exit: another thread of the parent's may hold
        // the lock of Swift's runtime that a type is first looked up with.
        _ = Categories.takeFindings()
        _ = Categories.find("")
        Ending.prepareForFork()
        _ = RingReader.workerLock
        WorkerLock.prepareForFork()
        _ = SinkSlot.sharedWorker
        OpenBatches.prepareForFork()
        LimitedSite.prepareForFork()
        RecorderRegion.prepareForFork()
    }

    /// Has the sinks take what waits before the child exists: the parent may end at once by _exit(2), as
    /// daemon(3) does.
    private static func deliverBeforeFork() {
        let isAnyWaiting =
            unsafe OpenCall.isAny(upTo: RecordNumbers.last) || cwinnow_ending_has_unread()
            || RoutingPlan.openRoutes.contains { $0.account.isBacklogged }
        guard isAnyWaiting, !ThreadRole.isInsideSink else { return }
        _ = Distribution.flush(within: Bounds.Fork.sinks, leavesAbsent: true)
    }

    static func beforeFork() {
        Registration.beforeFork()
        deliverBeforeFork()
        let routes = RoutingPlan.allRoutes
        let begin = cwinnow_clock_monotonic()
        let bounded =
            restingWorkers(until: begin + Bounds.Fork.workers)
            + sinkLocks(of: routes, until: begin + Bounds.Fork.sinks)
        let others = routes.map(\.account.lock) + tableLocks
        others.forEach { $0.acquire() }
        // After the table of the program's own sinks: a new one registers its worker with the table's lock held.
        let threads = ServiceThread.acquireLocks()
        // After the locks of the workers, who have signals caught before they start a thread.
        Ending.lock.acquire()
        unsafe heldLocks = bounded + others + threads + [Ending.lock]
        let ring = unsafe ThreadState.known?.pointee.ring
        let nested = unsafe ring.flatMap { unsafe cwinnow_ring_nested($0) }
        unsafe cwinnow_recorder_keep_for_child(ring, nested)
    }

    /// Waits until the workers rest; not where this thread is the worker of the rings, or inside a sink.
    private static func restingWorkers(until deadline: UInt64) -> [Lock] {
        guard !ThreadRole.isInsideSink else { return [] }
        return WorkerLock.acquire(
            [RingReader.workerLock] + ServiceThread.workerLocks,
            until: deadline
        )
    }

    /// Acquires the locks of the sinks, so that the child finds them whole, and returns those that it holds.
    ///
    /// First the locks of Winnow's sinks, as one of the program's own may not return. None if this thread is inside a
    /// sink, or is the worker of the rings.
    private static func sinkLocks(of routes: [SinkRoute], until deadline: UInt64) -> [Lock] {
        guard !ThreadRole.isInsideSink else { return [] }
        var slots: [ObjectIdentifier: SinkSlot] = [:]
        for slot in routes.flatMap(\.slots) { slots[ObjectIdentifier(slot)] = slot }
        let ordered = slots.values.filter { !$0.isForeign } + slots.values.filter(\.isForeign)
        return ordered.map(\.lock).filter { $0.acquire(until: deadline) }
    }

    static func afterForkInParent() {
        cwinnow_recorder_forget_child()
        unsafe heldLocks.reversed().forEach { $0.release() }
        Registration.afterFork(isChild: false)
    }

    static func afterForkInChild() {
        // Before anything is written: what the parent records is none of the child's.
        Recorder.forgetParent()
        unsafe heldLocks.forEach { $0.reset() }
        let ring = unsafe ThreadState.known?.pointee.ring
        if let ring = unsafe ring { unsafe RingTable.empty(ring) }
        unsafe forgetParent(keeping: ring)
        Registration.afterFork(isChild: true)
    }

    /// Forgets the threads of the parent, and their rings but for the given one, which is this thread's.
    ///
    /// A fork has emptied it; in a child of _Fork or clone it holds the child's own records.
    static func forgetParent(keeping ring: UnsafeMutablePointer<cwinnow_ring>?) {
        LockRank.forgetParent()
        Recorder.forgetParent()
        ControlPage.forgetParent()
        cwinnow_ending_forget_waiting()
        ServiceThread.forgetParent()
        OwedRest.forgetParent()
        unsafe RingTable.forgetParent(exceptOwn: ring)
        RingReader.forgetParent()
        RingTurn.forgetParent()
        OpenBatches.forgetParent()
        ThreadState.forgetParent()
        unsafe OpenCall.forgetParent(except: ThreadState.known?.pointee.call)
        Ending.forgetParent()
        EndWalk.forgetParent()
        EndGate.forgetParent()
        Stage.forgetParent()
        forgetAccounts()
    }

    /// Gives the child numbers, accounts and queues of its own, all empty.
    private static func forgetAccounts() {
        RecordNumbers.forgetParent()
        RunIdentity.forgetParent()
        RoutingPlan.retired.lock.reset()
        RoutingPlan.forgetParent()
        LimitedSite.forgetParent()
        for route in RoutingPlan.allRoutes {
            route.forgetParent()
        }
    }
}
