// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// The thread that tries records again that a sink could not take, and has sinks send the rest of what
/// they have taken in part.
///
/// It is started with the first such record, and sleeps without waking up while none waits.
enum RetryWorker {
    /// What the lock guards.
    private final class State: @unchecked Sendable {
        // SAFETY: every access holds the lock.
        let lock = Lock()
        var isStarted = false
        var isAsked = false
    }

    private static let state = State()
    /// The pause after a round in which a sink took something, and after one in which none did,
    /// which doubles: to one that a receiver without a processor is met by, and after two seconds in
    /// vain to one that costs nothing.
    private static let shortPause: UInt64 = 2_000_000
    private static let longPause: UInt64 = 20_000_000
    private static let longestPause: UInt64 = 500_000_000
    private static let hopeful: UInt64 = 2_000_000_000

    /// The lock that guards the worker's state, for fork(2).
    static var lock: Lock { state.lock }

    /// Has the worker look at the routes.
    ///
    /// MT-Safe.
    static func wake() {
        Ending.prepareThread()
        state.lock.acquire()
        defer { state.lock.release() }
        state.isAsked = true
        if !state.isStarted { state.isStarted = start() }
        state.lock.wake()
    }

    /// Sleeps for the time, which no wake-up shortens.
    static func pause(_ nanoseconds: UInt64) {
        let lock = Lock()
        lock.acquire()
        lock.wait(nanoseconds)
        lock.release()
    }

    /// Forgets the parent's thread: in the child of a fork.
    static func forgetParent() {
        state.lock.reset()
        state.isStarted = false
        state.isAsked = false
    }

    /// Starts the thread; without one the records wait for the next flush, or for the exit.
    private static func start() -> Bool {
        Ending.prepare()
        return unsafe cwinnow_thread_start("winnow-retry", { _ in RetryWorker.run() }, nil) == 0
    }

    private static func run() {
        var pause = shortPause
        var lastProgress = cwinnow_clock_monotonic()
        while true {
            awaitRequest()
            let progress = retryOnce()
            let isOwing = sendRests()
            Route.tellNews()
            let now = cwinnow_clock_monotonic()
            let isBacklogged = Pipeline.openRoutes.contains { $0.route.books.isBacklogged }
            if progress || !(isBacklogged || isOwing) {
                lastProgress = now
                pause = shortPause
            } else {
                let longest = now - lastProgress < hopeful ? longPause : longestPause
                pause = min(pause * 2, longest)
            }
            guard isBacklogged || isOwing else { continue }
            self.pause(pause)
            state.lock.withLock { state.isAsked = true }
        }
    }

    private static func awaitRequest() {
        state.lock.withLock {
            while !state.isAsked { state.lock.wait(0) }
            state.isAsked = false
        }
    }

    /// Has the sinks send what they owe, where one has noted that; true where one still does.
    private static func sendRests() -> Bool {
        guard OwedRest.takeNote(), let topology = Pipeline.topology else { return false }
        var isOwing = false
        Delivery.visit(zip(topology.marks, topology.routes)) { isOwing = $0.sendRests() || isOwing }
        if isOwing { OwedRest.keepNote() }
        return isOwing
    }

    /// Has each route with a backlog deliver some of it; true where one did.
    private static func retryOnce() -> Bool {
        var progress = false
        var content = RecordContent()
        let routes = Pipeline.openRoutes.filter { $0.route.books.isBacklogged }
        Delivery.visit(routes.map { ($0.mark, $0.route) }) { route in
            progress = route.retry(limit: 256, content: &content) || progress
        }
        return progress
    }
}
