// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import Synchronization
internal import WinnowCore

/// The end of the process, and its duplication by fork(2).
enum Lifecycle {
    /// How long the exit waits for sinks to take what waits for them.
    static let exitDeadline: UInt64 = 2_000_000_000
    /// How long it waits for records that were on their way by then.
    private static let lastTime: UInt64 = 100_000_000

    /// Registers what runs at exit and around a fork, once.
    static func begin() {
        _ = registered
    }

    private static let registered: Bool = {
        unsafe OwedRest.send = { RetryWorker.shared.wake() }
        _ = standardError
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
    private static let ended = Atomic<Int32>(0)

    private static func endAtExit() {
        let thread = cwinnow_thread_id()
        guard ended.load(ordering: .relaxed) != thread else { return }
        end(by: .exit)
        ended.store(thread, ordering: .relaxed)
    }

    /// Has the sinks take what waits, for the last time.
    static func end(by end: ProcessEnd) {
        let cancellation = cwinnow_cancellation_put_off()
        defer { cwinnow_cancellation_restore(cancellation) }
        guard !ThreadState.isInsideSink else {
            // A sink that ends the process cannot be waited for on its own thread.
            let deadline = cwinnow_clock_monotonic() + 2 * exitDeadline
            _ = DetachedCall.run(until: deadline) { Lifecycle.end(by: end) }
            return
        }
        unsafe beforeEnd?(end)
        // What is logged from now on, by other handlers of the exit, goes to no ring.
        cwinnow_delivery_set_epoch(0)
        CallSite.reportSuppressed()
        let deadline = cwinnow_clock_monotonic() + exitDeadline
        let isDelivered = deliverRest()
        EndGate.close()
        EndGate.awaitCalls()
        // What came meanwhile may wait now: for sinks that take what they are given, in the same time.
        if Pipeline.openRoutes.contains(where: { $0.route.books.isBacklogged }) {
            let now = cwinnow_clock_monotonic()
            let rest = isDelivered && now < deadline ? deadline - now : 0
            deliverRest(within: max(rest, lastTime))
        }
        endHandingOver()
        if end == .exit { part() }
    }

    /// Makes what later exit handlers log reach the program's own sinks before their calls return, because
    /// nobody waits for the workers of those sinks any more.
    private static func endHandingOver() {
        for route in Pipeline.topology?.routes ?? [] { route.books.isHandedOver = false }
    }

    /// Makes the sinks for which no record waits close the conversation with their destinations.
    private static func part() {
        guard !ThreadState.isInsideSink else { return }
        let deadline = cwinnow_clock_monotonic() + Route.patience
        for route in Pipeline.topology?.routes ?? [] where route.account.queued == 0 {
            route.part(until: deadline)
        }
    }

    /// Does the work of an exit early, while the libraries that some sinks need still work; other handlers
    /// run between this and the end, and may log.
    static func endEarly() {
        unsafe beforeEnd?(.mendable)
        cwinnow_delivery_set_epoch(0)
        CallSite.reportSuppressed()
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
        within time: UInt64 = exitDeadline
    ) -> Bool {
        // The exit and the end by a signal may meet.
        guard delivering.acquire(within: 2 * exitDeadline) else { return false }
        defer { delivering.release() }
        let reportTime = time / 4
        Pipeline.openRoutes.forEach { $0.route.makeRoom() }
        if isWorkerAlive,
            Delivery.flush(within: time - reportTime, leavesAbsent: true, makesRoom: true)
        {
            Route.tellNews()
            return true
        }
        DeferredWorker.abandon()
        let deadline = cwinnow_clock_monotonic() + reportTime
        let routes = Pipeline.openRoutes
        var unheard: [[String]] = []
        Delivery.visit(routes.map { ($0.mark, $0.route) }) {
            unheard.append($0.abandon(cause: .exit, until: deadline))
        }
        // The routes of the current configuration come first; earlier ones were never told its problems.
        tellUnheard(Array(unheard.prefix(Pipeline.topology?.routes.count ?? 0)))
        for (_, route) in routes {
            guard let report = route.takeUntold() else { continue }
            let reason = route.trouble.map { "; \($0)" } ?? ""
            let words = "\(route.name): \(report.text)\(reason)"
            if !route.tellOthersAtOnce(words) { lastWords(words) }
        }
        return false
    }

    /// Says on standard error what Winnow had to report and no route could take, such as what is wrong with
    /// the address of the only one.
    private static func tellUnheard(_ texts: [[String]]) {
        guard let first = texts.first else { return }
        let others = texts.dropFirst()
        for text in first where others.allSatisfy({ $0.contains(text) }) { lastWords(text) }
    }

    /// When a fault last gave the sinks two seconds in vain, on CLOCK_MONOTONIC; 0 if none did, or if they
    /// have taken everything at a later one.
    // SAFETY: read and written with the lock of that held.
    private nonisolated(unsafe) static var lastVain: UInt64 = 0
    /// How long faults do not wait for the sinks after that: some programs mend many faults.
    private static let vainPause: UInt64 = 60_000_000_000

    /// Has the sinks take what waits, where the process may go on, and counts nothing as lost.
    ///
    /// What they do not take in time waits on, and standard error says how many records that are.
    /// Two seconds in a minute are spent so.
    static func deliverForNow(isWorkerAlive: Bool) {
        guard delivering.acquire(within: 2 * exitDeadline) else { return }
        defer { delivering.release() }
        let begin = cwinnow_clock_monotonic()
        let isPause = unsafe lastVain > 0 && begin - lastVain < vainPause
        let time = isPause ? 0 : exitDeadline
        if isWorkerAlive, Delivery.flush(within: time, leavesAbsent: true) {
            unsafe lastVain = 0
            return
        }
        guard !isPause else { return }
        unsafe lastVain = begin
        let count = (Pipeline.accounts.map(\.queued).max() ?? 0) + RingTable.unreadCount
        guard count > 0 else { return }
        lastWords(
            "a fault, while \(count) records wait for the sinks: they are lost if it ends the process"
        )
    }

    private static let delivering = Lock()

    /// What descriptor 2 was when the log was started; empty where it was nothing that takes words.
    private static let standardError: [UInt64] = {
        let descriptor = cwinnow_descriptor_original(2)
        return cwinnow_descriptor_kind(descriptor) < 0 ? [] : identity(of: descriptor)
    }()

    private static func identity(of descriptor: Int32) -> [UInt64] {
        var device: UInt64 = 0
        var inode: UInt64 = 0
        let status = unsafe cwinnow_descriptor_identity(descriptor, &device, &inode)
        return status == 0 ? [device, inode] : []
    }

    /// The bytes of the largest pipe that a process may make without more: pipe(7), pipe-max-size.
    private static let greatestPipe: Int32 = 1 << 20

    /// Says on standard error what no sink could be told; returns whether it took the words.
    @discardableResult
    static func lastWords(_ words: String) -> Bool {
        // If the program has since opened something else under that number, it is not for log output.
        let descriptor = cwinnow_descriptor_original(2)
        guard !standardError.isEmpty, identity(of: descriptor) == standardError
        else { return false }
        var text = "winnow: \(words)\n"
        return text.withUTF8 {
            // A full pipe that nobody reads would keep the process from ending; if it is writable, PIPE_BUF
            // bytes fit. One that is read later, as by a pager, is enlarged for this.
            guard
                cwinnow_descriptor_wait_writable(descriptor, 0) > 0
                    || cwinnow_descriptor_grow_pipe(descriptor, Self.greatestPipe) == 0
            else { return false }
            let count = min($0.count, 4_096)
            return unsafe cwinnow_descriptor_write_pipe(descriptor, $0.baseAddress, count) == count
        }
    }

    /// The locks that the thread which forks holds meanwhile, so that no other thread is inside
    /// what they guard; pthread_atfork(3) hands nothing from one of its functions to the next.
    // SAFETY: written with all of them held, and read before they are given back.
    private nonisolated(unsafe) static var heldLocks: [Lock] = []

    /// What hands over records before those that wait are delivered for the last time, for the floors
    /// above; within half a second, except at ``ProcessEnd/exit``.
    // SAFETY: written by one thread at a time, before there is anything to hand over.
    nonisolated(unsafe) static var beforeEnd: (@Sendable (ProcessEnd) -> Void)?

    /// What else the child of a fork does, for the floors above.
    // SAFETY: written by one thread at a time, with the lock of the start held.
    nonisolated(unsafe) static var inForkedChild: (@Sendable () -> Void)?

    /// Initializes the globals that the child of a fork uses and that nothing else has initialized yet.
    ///
    /// Swift initializes a global at its first access, and other threads wait meanwhile: if another thread of
    /// the parent was doing that, the child would wait forever.
    private static func prepareForFork() {
        let locks = [
            delivering, Ending.lock, DeferredWorker.lock, RingTable.lock, Pipeline.retired.lock,
            Categories.lock, Outlet.tableLock,
        ]
        for lock in locks { lock.withLock {} }
        _ = DeferredWorker.duty
        Duty.prepareForFork()
        RetryWorker.prepareForFork()
        CallSite.prepareForFork()
    }

    private static func beforeFork() {
        let routes = (Pipeline.topology?.routes ?? []) + Pipeline.retired.routes
        let books = routes.map(\.books.lock)
        let sinks = workerDuties() + sinkLocks(of: routes)
        let workerLocks = [DeferredWorker.lock, RingTable.lock]
        books.forEach { $0.acquire() }
        Pipeline.retired.lock.acquire()
        workerLocks.forEach { $0.acquire() }
        let tables = [Categories.lock, Outlet.tableLock]
        tables.forEach { $0.acquire() }
        // After the table of the outlets: a new outlet registers its worker with that table's lock held.
        let retryLocks = RetryWorker.acquireLocks()
        let locks = sinks + books + [Pipeline.retired.lock]
        unsafe heldLocks = locks + workerLocks + tables + retryLocks
    }

    /// Waits until the workers rest, as long as for the sinks; not where this thread is one.
    private static func workerDuties() -> [Lock] {
        guard !ThreadState.isInsideSink else { return [] }
        return Duty.acquire([DeferredWorker.duty] + RetryWorker.duties, within: 200_000_000)
    }

    /// Acquires the locks of the sinks, so that the child finds them whole; one that hangs is not
    /// waited for long, and one that forks itself not at all.
    ///
    /// Returns those that are held.
    private static func sinkLocks(of routes: [Route]) -> [Lock] {
        guard !ThreadState.isInsideSink else { return [] }
        let deadline = cwinnow_clock_monotonic() + 200_000_000
        var outlets: [ObjectIdentifier: Outlet] = [:]
        for outlet in routes.flatMap(\.outlets) { outlets[ObjectIdentifier(outlet)] = outlet }
        return outlets.values.map(\.lock).filter {
            let now = cwinnow_clock_monotonic()
            return now < deadline ? $0.acquire(within: deadline - now) : $0.tryAcquire()
        }
    }

    private static func afterForkInParent() {
        unsafe heldLocks.reversed().forEach { $0.release() }
    }

    private static func afterForkInChild() {
        unsafe heldLocks.forEach { $0.reset() }
        cwinnow_ending_forget_waiting()
        RetryWorker.forgetParent()
        OwedRest.forgetParent()
        RingTable.forgetParent()
        DeferredWorker.forgetParent()
        ThreadState.forgetParent()
        Ending.forgetParent()
        delivering.reset()
        EndGate.forgetParent()
        ended.store(0, ordering: .relaxed)
        Pipeline.forgetParent()
        unsafe inForkedChild?()
    }
}
