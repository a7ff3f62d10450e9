// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// The end of the process, and its doubling by fork(2).
enum Lifecycle {
    /// How long the exit waits for sinks to take what waits for them.
    static let exitDeadline: UInt64 = 2_000_000_000

    /// Registers what runs at exit and around a fork, once.
    static func begin() {
        _ = registered
    }

    private static let registered: Bool = {
        _ = standardError
        _ = cwinnow_at_exit { atExit() }
        _ = cwinnow_at_fork({ beforeFork() }, { afterForkInParent() }, { afterForkInChild() })
        return true
    }()

    private static func atExit() {
        // What is logged from now on, by other handlers of the exit, is delivered at once.
        cwinnow_delivery_set_epoch(0)
        CallSite.reportSuppressed()
        if Delivery.flush(within: exitDeadline, leavesAbsent: true) { return }
        DeferredWorker.abandon()
        let routes = Pipeline.openRoutes
        Delivery.visit(routes.map { ($0.mark, $0.route) }) { $0.abandon(cause: .exit) }
        for (_, route) in routes {
            if let report = route.takeUntold() { lastWords("\(route.name): \(report.text)") }
        }
    }

    /// What descriptor 2 was when the log was started.
    private static let standardError = identity(of: 2)

    private static func identity(of descriptor: Int32) -> [UInt64] {
        var device: UInt64 = 0
        var inode: UInt64 = 0
        let status = unsafe cwinnow_descriptor_identity(descriptor, &device, &inode)
        return status == 0 ? [device, inode] : []
    }

    /// Says on standard error what no sink could be told.
    static func lastWords(_ words: String) {
        // What the program has opened since under that number is no log.
        guard !standardError.isEmpty, identity(of: 2) == standardError else { return }
        var text = "winnow: \(words)\n"
        text.withUTF8 {
            // A pipe that nobody reads would keep the process from ending; PIPE_BUF fits for sure.
            guard cwinnow_descriptor_wait_writable(2, 0) > 0 else { return }
            _ = unsafe cwinnow_descriptor_write_pipe(2, $0.baseAddress, min($0.count, 4_096))
        }
    }

    /// The locks that the thread which forks holds meanwhile, so that no other thread is inside
    /// what they guard; pthread_atfork(3) hands nothing from one of its functions to the next.
    // SAFETY: written with all of them held, and read before they are given back.
    private nonisolated(unsafe) static var heldLocks: [Lock] = []

    /// What the child of a fork does besides, for the floors above.
    // SAFETY: written by one thread at a time, with the lock of the start held.
    nonisolated(unsafe) static var inForkedChild: (@Sendable () -> Void)?

    private static func beforeFork() {
        let routes = (Pipeline.topology?.routes ?? []) + Pipeline.retired.routes
        let books = routes.map(\.books.lock)
        let sinks = workerLock() + sinkLocks(of: routes)
        let locks = sinks + books + [Pipeline.retired.lock, RetryWorker.lock]
        let workerLocks = [DeferredWorker.lock, RingTable.lock]
        books.forEach { $0.acquire() }
        Pipeline.retired.lock.acquire()
        RetryWorker.lock.acquire()
        workerLocks.forEach { $0.acquire() }
        Categories.lock.acquire()
        unsafe heldLocks = locks + workerLocks + [Categories.lock]
    }

    /// Waits until the worker rests, as long as for the sinks; not where it is this thread.
    private static func workerLock() -> [Lock] {
        ThreadState.isInsideSink ? [] : DeferredWorker.restForFork(within: 200_000_000)
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
        RetryWorker.forgetParent()
        RingTable.forgetParent()
        DeferredWorker.forgetParent()
        ThreadState.forgetParent()
        Pipeline.forgetParent()
        unsafe inForkedChild?()
    }
}
