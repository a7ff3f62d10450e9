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
        _ = cwinnow_at_exit { atExit() }
        _ = cwinnow_at_fork({ beforeFork() }, { afterForkInParent() }, { afterForkInChild() })
        return true
    }()

    private static func atExit() {
        if Delivery.flush(within: exitDeadline) { return }
        for (_, route) in Pipeline.openRoutes {
            route.abandon(cause: .exit)
            if let report = route.takeUntold() { lastWords("\(route.name): \(report.text)") }
        }
    }

    /// Says on standard error what no sink could be told.
    static func lastWords(_ words: String) {
        var text = "winnow: \(words)\n"
        text.withUTF8 {
            _ = unsafe cwinnow_descriptor_write_pipe(2, $0.baseAddress, $0.count)
        }
    }

    /// The locks that the thread which forks holds meanwhile, so that no other thread is inside
    /// what they guard; pthread_atfork(3) hands nothing from one of its functions to the next.
    ///
    /// Lower ones are never waited for with a higher one held.
    // SAFETY: the forking thread alone uses it, with the first of the locks held.
    private nonisolated(unsafe) static var heldLocks: [Lock] = []

    private static func beforeFork() {
        Categories.lock.acquire()
        let routes = (Pipeline.topology?.routes ?? []) + Pipeline.retired.routes
        let locks = routes.map(\.books.lock) + [Pipeline.retired.lock, RetryWorker.lock]
        locks.forEach { $0.acquire() }
        unsafe heldLocks = locks
    }

    private static func afterForkInParent() {
        unsafe heldLocks.reversed().forEach { $0.release() }
        Categories.lock.release()
    }

    private static func afterForkInChild() {
        unsafe heldLocks.forEach { $0.reset() }
        Categories.lock.reset()
        RetryWorker.forgetParent()
        Pipeline.forgetParent()
    }
}
