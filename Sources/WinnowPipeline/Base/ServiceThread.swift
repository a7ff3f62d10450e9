// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import Synchronization
internal import WinnowCore

/// A thread that does what others leave to it: it is started by the first request, and sleeps without waking
/// up while there is none.
final class ServiceThread: @unchecked Sendable {
    // SAFETY: all variables but atomic ones are read and written with the lock held.

    private static let registry = Registry()

    private let name: StaticString
    private let body: @Sendable (ServiceThread) -> Void
    private let lock = Lock(.service)
    private var isStarted = false
    /// When it may be tried again to start the thread, on CLOCK_MONOTONIC.
    private var nextStart: UInt64 = 0
    private let isAsked = Atomic<Bool>(false)
    /// Whether somebody waits for it to try again.
    private var isHurried = false
    /// What others have it do, and wait for.
    private var calls: [AwaitedCall] = []
    private let workerLock = WorkerLock()

    /// Creates a thread that is never given up, and not started yet.
    ///
    /// - Parameters:
    ///   - name: Its name, of which the kernel keeps 15 bytes.
    ///   - body: What it runs, for as long as the process lives.
    init(_ name: StaticString, _ body: @escaping @Sendable (ServiceThread) -> Void) {
        self.name = name
        self.body = body
        Self.registry.add(self)
    }

    /// Asks the thread to look what there is to do.
    ///
    /// MT-Safe.
    ///
    /// - Returns: Whether the system has a thread for it.
    @discardableResult
    func wake() -> Bool {
        Ending.prepareThread()
        // Whoever has asked is about to wake it, and it will then see what waits now.
        guard !isAsked.exchange(true, ordering: .acquiringAndReleasing) else { return true }
        lock.acquire()
        defer { lock.release() }
        if !isStarted { start() }
        lock.wake()
        return isStarted
    }

    /// Has the thread try again at once, if it pauses after an attempt in vain.
    ///
    /// MT-Safe.
    func hurry() {
        lock.withLock { isHurried = true }
        lock.wake()
    }

    /// Leaves a call to the thread, which runs it between two rounds, and at once if it pauses.
    ///
    /// MT-Safe.
    ///
    /// - Returns: Whether the system has a thread for it; otherwise the call is not taken.
    func post(_ call: AwaitedCall) -> Bool {
        Ending.prepareThread()
        return lock.withLock {
            if !isStarted { start() }
            guard isStarted else { return false }
            calls.append(call)
            isHurried = true
            isAsked.store(true, ordering: .releasing)
            lock.wake()
            return true
        }
    }

    /// Keeps a call from being run, if it has not begun.
    ///
    /// MT-Safe.
    func withdraw(_ call: AwaitedCall) {
        call.withdraw()
        lock.withLock { calls.removeAll { $0 === call } }
    }

    /// Starts the thread, with the lock held; without one the work waits for the next that asks, and for
    /// others that do it in its place.
    private func start() {
        let now = cwinnow_clock_monotonic()
        if now >= nextStart {
            Ending.prepare()
            isStarted = OwnThread.start(name, run) == 0
            nextStart = now + Bounds.threadStart
        }
        if !isStarted { isAsked.store(false, ordering: .releasing) }
    }

    private func run() {
        workerLock.begin()
        // What it calls may run out of its stack.
        Ending.prepareThread()
        body(self)
    }
}

/// What the thread itself calls.
extension ServiceThread {
    /// Rests until somebody asks.
    func awaitRequest() {
        workerLock.rest {
            lock.withLock {
                while !isAsked.exchange(false, ordering: .acquiringAndReleasing) { lock.wait(0) }
            }
        }
    }

    /// Runs what others wait for.
    func answerCalls() {
        let calls = lock.withLock {
            defer { self.calls = [] }
            return self.calls
        }
        calls.forEach { $0.run() }
    }

    /// Has the next wait for a request end at once.
    func goOn() {
        isAsked.store(true, ordering: .releasing)
    }

    /// Rests for the time, in nanoseconds, which only ``hurry()`` shortens.
    func pause(_ nanoseconds: UInt64) {
        let end = cwinnow_clock_monotonic() + nanoseconds
        workerLock.rest {
            lock.withLock {
                while !isHurried, case let now = cwinnow_clock_monotonic(), now < end {
                    lock.wait(end - now)
                }
                isHurried = false
            }
        }
    }

    /// Rests for a moment, in nanoseconds, so that others get what it holds almost all the time.
    func giveWay(_ nanoseconds: UInt64) {
        workerLock.rest { cwinnow_thread_pause(nanoseconds) }
    }
}

/// All of them, as a fork(2) finds them.
extension ServiceThread {
    private final class Registry: @unchecked Sendable {
        // SAFETY: every access to the array holds the lock.
        let lock = Lock(.services)
        private var threads: [ServiceThread] = []

        func add(_ thread: ServiceThread) {
            lock.withLock { threads.append(thread) }
        }

        /// All of them; with the lock held, or where there is one thread.
        var all: [ServiceThread] { threads }
    }

    /// What a fork(2) waits for.
    static var workerLocks: [WorkerLock] {
        registry.lock.withLock { registry.all.map(\.workerLock) }
    }

    /// Acquires the locks that guard their states, and returns them: before a fork.
    static func acquireLocks() -> [Lock] {
        registry.lock.acquire()
        let locks = registry.all.map(\.lock)
        locks.forEach { $0.acquire() }
        return [registry.lock] + locks
    }

    /// Forgets the parent's threads: in the child of a fork.
    static func forgetParent() {
        registry.lock.reset()
        for thread in registry.all {
            thread.lock.reset()
            thread.workerLock.forgetParent()
            thread.isStarted = false
            thread.isHurried = false
            thread.calls = []
            thread.nextStart = 0
            thread.isAsked.store(false, ordering: .relaxed)
        }
    }
}
