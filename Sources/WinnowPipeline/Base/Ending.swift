// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import Synchronization
internal import WinnowCore

/// The end of the process by a signal: a thread that has the sinks take what waits, at the request of
/// a signal's handler, which may do next to nothing itself.
///
/// What the thread does is the matter of `Lifecycle.answerSignals()`.
///
/// There is none, and no signal is caught, until a record waits for something: for the worker of
/// deferred delivery, for a sink that could not take it, or for one of the program's own to return; or until a
/// second thread logs, or a rate limit holds a call back. Before that what was accepted is delivered, except for
/// the last record, where its call has not returned. With more threads such a record may not be the last: its
/// number would be missing.
enum Ending {
    /// What guards the start of the thread.
    static let lock = Lock(.signals)
    // SAFETY: read and written with the lock held.
    private nonisolated(unsafe) static var isStarted = false
    /// What the thread runs.
    // SAFETY: set once, before anything can wait.
    nonisolated(unsafe) static var body: (@Sendable () -> Void)?
    private static let isWanted = Atomic<Bool>(true)
    /// Whether there is the thread, and the signals are caught.
    private static let isReady = Atomic<Bool>(false)
    /// When it may be tried again to start the thread for a record in flight, on CLOCK_MONOTONIC.
    private static let nextStart = Atomic<UInt64>(0)

    /// Whether signals are caught at all.
    ///
    /// What is caught already stays caught. MT-Safe.
    static func setWanted(_ isWanted: Bool) {
        self.isWanted.store(isWanted, ordering: .relaxed)
    }

    /// Starts the thread where there is none, and catches the signals; before a record waits.
    ///
    /// MT-Safe.
    ///
    /// - Parameter isForExit: Whether the thread is wanted for _exit(2) as well, which is no signal.
    static func prepare(isForExit: Bool = false) {
        let isWanted = isWanted.load(ordering: .relaxed)
        guard isWanted || isForExit else { return }
        lock.withLock {
            guard unsafe isStarted || start() else { return }
            guard isWanted else { return }
            cwinnow_signals_catch()
            isReady.store(true, ordering: .relaxed)
        }
    }

    /// Starts the thread and catches the signals before a call brings a record to sinks of the program's own, any of
    /// which may not return.
    ///
    /// MT-Safe.
    @inline(__always)
    static func prepareForFlight() {
        let isPrepared = cwinnow_signal_stack_is_prepared()
        guard !isReady.load(ordering: .relaxed) || !isPrepared else { return }
        prepareForFirstFlight()
    }

    @inline(never)
    private static func prepareForFirstFlight() {
        guard isWanted.load(ordering: .relaxed) else { return }
        let now = cwinnow_clock_monotonic()
        if !isReady.load(ordering: .relaxed), now >= nextStart.load(ordering: .relaxed) {
            nextStart.store(now + Bounds.threadStart, ordering: .relaxed)
            prepare()
        }
        guard isReady.load(ordering: .relaxed) else { return }
        prepareThread()
    }

    /// How many threads of the program have logged.
    private static let threadCount = Atomic<UInt64>(0)

    /// Has the signals that tell of a crash reach a thread that logs, once a thread; and catches all signals
    /// where it is the second one of the program.
    ///
    /// MT-Safe; keeps errno.
    static func admitThread() {
        guard isWanted.load(ordering: .relaxed) else { return }
        cwinnow_signals_unblock_halts()
        guard !cwinnow_thread_is_own() else { return }
        if threadCount.add(1, ordering: .relaxed).newValue > 1 { prepare() }
    }

    /// Makes sure that a signal handler can run on this thread even if its stack is full; call it before
    /// something waits that this thread has logged.
    ///
    /// MT-Safe; keeps errno.
    static func prepareThread() {
        guard isWanted.load(ordering: .relaxed) else { return }
        cwinnow_signal_stack_prepare()
    }

    private static func start() -> Bool {
        guard let body = unsafe body else { return false }
        cwinnow_ending_prepare()
        guard OwnThread.start("winnow-end", body) == 0 else { return false }
        unsafe isStarted = true
        cwinnow_ending_set_present()
        return true
    }

    /// Forgets the parent's thread: in the child of a fork.
    static func forgetParent() {
        lock.reset()
        unsafe isStarted = false
        isReady.store(false, ordering: .relaxed)
        nextStart.store(0, ordering: .relaxed)
        cwinnow_ending_forget_parent()
    }

    /// Initializes what the child of a fork uses: see `Lifecycle.prepareForFork`.
    static func prepareForFork() {
        lock.withLock {}
        _ = isReady.load(ordering: .relaxed)
        _ = isWanted.load(ordering: .relaxed)
        _ = nextStart.load(ordering: .relaxed)
        _ = threadCount.load(ordering: .relaxed)
    }
}
