// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import CWinnowRedirect
internal import Synchronization
internal import WinnowCore
internal import WinnowPipeline

/// The redirect of this process: its hooks, its captured descriptors, its rules.
///
/// What prints is stopped nowhere but at a queue, see CWinnowPrinted.h; the rules and what comes of
/// them are a thread's of its own, ``LineWorker``.
package enum RedirectEngine {
    /// How long what was printed is waited for at an end.
    private static let patience: UInt64 = 400_000_000

    /// Guards the starts and stops, and what they write: ``locked(_:)``.
    private static let lock = Lock(.redirect)
    // SAFETY: read and written with the lock held.
    private nonisolated(unsafe) static var isPrepared = false
    // SAFETY: as above.
    private nonisolated(unsafe) static var isStarted = false
    // SAFETY: as above.
    private nonisolated(unsafe) static var isReplaceable = false
    // SAFETY: as above.
    private nonisolated(unsafe) static var scopeCount = 0
    // SAFETY: as above.
    private nonisolated(unsafe) static var hookCount: UInt32 = 0
    /// The hooked functions that the program defines; looked up once, as a program does not change.
    private static let unseenFunctions: [String] = {
        var position = 0
        var names: [String] = []
        while let name = unsafe cwinnow_hooks_defined_by_program(&position) {
            unsafe names.append(String(cString: name))
        }
        return names
    }()

    /// Starts the redirect.
    ///
    /// MT-Safe; not from within a sink.
    ///
    /// - Parameters:
    ///   - rules: What becomes of what is printed.
    ///   - options: What is captured besides what hooks see.
    ///   - receiver: What logs lines.
    ///   - isReplaceable: Whether the next start takes its place instead of throwing.
    /// - Throws: ``RedirectError``.
    package static func start(
        _ rules: RuleSet,
        options: RedirectOptions,
        receiver: some LineReceiver,
        isReplaceable: Bool = false
    ) throws(RedirectError) {
        try locked { () throws(RedirectError) in
            guard unsafe !isStarted || self.isReplaceable else { throw .alreadyStarted }
            try prepare()
            guard unsafe hookCount > 0 || !options.isEmpty else { throw .hooksUnavailable }
            cwinnow_lines_give_back()
            let before = LineWorker.shared.present
            let captured = RedirectOptions(rawValue: cwinnow_capture_streams())
            LineWorker.shared.install(rules, receiver: receiver)
            let wasStarted = unsafe isStarted
            // Before a descriptor is captured, as what sinks print passes the pipe by a hook.
            unsafe isStarted = true
            updateHooks()
            do throws(RedirectError) {
                try capture(options)
            } catch {
                unsafe isStarted = wasStarted
                LineWorker.shared.install(before.rules, receiver: before.receiver)
                // The redirect that goes on has its own again, where that can be.
                if wasStarted { try? capture(captured) }
                cwinnow_printed_reset_verdicts()
                updateHooks()
                throw error
            }
            unsafe self.isReplaceable = isReplaceable
            // Only now that it is known what is captured: what passes elsewhere is taken there.
            cwinnow_printed_reset_verdicts()
            LineWorker.shared.renewSoon()
        }
        if options != [.stdoutDescriptor, .stderrDescriptor] { announceUnseen() }
    }

    private static let hasAnnouncedUnseen = Atomic<Bool>(false)

    /// Says once what hooks do not see in this program.
    private static func announceUnseen() {
        let names = unseenFunctions
        guard lock.withLock({ unsafe hookCount }) > 0, let first = names.first,
            !hasAnnouncedUnseen.exchange(true, ordering: .relaxed)
        else { return }
        let others = names.count > 1 ? " and \(names.count - 1) more functions" : ""
        News.announce(
            "the redirect does not see what the program's own code prints by \(first)\(others), as "
                + "the program defines them itself, as one built with a sanitizer does; capture the "
                + "descriptors to see it",
            level: .warning
        )
    }

    /// Has no rule hold any more.
    ///
    /// Returns when what was printed before is worked off, or after half a second. Does nothing where
    /// no redirect runs. MT-Safe; not from within a sink.
    package static func stop() {
        locked { stopLocked(within: patience) }
        // Without the lock: a sink may ask for the status.
        LineWorker.shared.tellRepeats(within: patience)
        LineWorker.shared.reportLosses(isLast: true)
        locked { forgetRules() }
    }

    /// Ends the redirect that the environment has started, where none of the code's runs.
    package static func stopReplaceable() {
        if lock.withLock({ unsafe isStarted && isReplaceable }) { stop() }
    }

    /// Waits until what was printed before is worked off; false when the time has passed.
    ///
    /// MT-Safe; not from within a sink.
    package static func drain(within nanoseconds: UInt64) -> Bool {
        guard lock.withLock({ unsafe isPrepared }), !LineWorker.isCurrent else { return true }
        let deadline = cwinnow_clock_monotonic() + nanoseconds
        let isRead = cwinnow_capture_drain(nanoseconds)
        cwinnow_hooks_end_lines()
        let now = min(cwinnow_clock_monotonic(), deadline)
        return cwinnow_lines_await(cwinnow_lines_put_count(), deadline - now) && isRead
    }

    /// Whether a redirect runs.
    package static var isRunning: Bool { lock.withLock { unsafe isStarted } }

    /// What the redirect has done.
    package static var status: RedirectStatus {
        let (isStarted, hookCount) = lock.withLock { unsafe (self.isStarted, self.hookCount) }
        let streams = cwinnow_capture_streams()
        let origins = (0..<cwinnow_origin_count()).map {
            RedirectStatus.Origin(
                origin: LineOrigin(number: $0),
                passedCalls: cwinnow_printed_passed($0),
                droppedCalls: cwinnow_printed_dropped($0)
            )
        }
        let tally = LineWorker.shared.tally
        let lost = LineTally.crowdedOut
        let unprinted = tally.unprinted.count
        // What becomes of a line is counted after the line.
        let (logged, collapsed, blank) = (
            tally.logged.count, tally.collapsed.count, tally.blank.count
        )
        let (passed, dropped) = (tally.passed.count, tally.dropped.count)
        return RedirectStatus(
            isRunning: isStarted,
            hookCount: Int(hookCount),
            capturedStreams: Set(
                PrintedStream.allCases.filter { streams & 1 << UInt32($0.rawValue) != 0 }
            ),
            unseenFunctions: hookCount > 0 ? unseenFunctions : [],
            hasSymbols: cwinnow_origins_have_symbols(),
            taken: tally.taken.count + lost,
            logged: logged,
            collapsed: collapsed,
            blank: blank,
            passed: passed,
            dropped: dropped,
            lost: lost + unprinted,
            origins: origins
        )
    }

    /// Has hooks ask for scopes as long as one is open; they work without a redirect.
    static func openScope() throws(RedirectError) {
        try locked { () throws(RedirectError) in
            try prepare()
            guard unsafe hookCount > 0 else { throw .hooksUnavailable }
            unsafe scopeCount += 1
            cwinnow_printed_add_scopes(1)
            let wasActive = cwinnow_hooks_are_active()
            updateHooks()
            if !wasActive { LineWorker.shared.renewSoon() }
        }
    }

    /// Ends what ``openScope()`` began.
    static func closeScope() {
        locked {
            // None in the child of a fork, which forgets those of its parent.
            guard unsafe scopeCount > 0 else { return }
            unsafe scopeCount -= 1
            cwinnow_printed_add_scopes(-1)
            updateHooks()
        }
    }

    /// Holds the lock, without hooks on this thread: what they wait for is held now and then, and a
    /// signal's handler that prints would wait for its own thread.
    private static func locked<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        _ = isForkAware
        let wasSuspended = cwinnow_hooks_suspend()
        defer { cwinnow_hooks_resume(wasSuspended) }
        return try lock.withLock(body)
    }

    private static func updateHooks() {
        cwinnow_hooks_set_active(unsafe hookCount > 0 && (isStarted || scopeCount > 0))
    }

    private static func capture(_ options: RedirectOptions) throws(RedirectError) {
        guard cwinnow_capture_streams() != options.rawValue else { return }
        _ = cwinnow_capture_stop(patience)
        guard !options.isEmpty else { return }
        let status = cwinnow_capture_start(options.rawValue)
        guard status == 0 else {
            throw .failed("the descriptors cannot be captured: \(systemErrorText(-status))")
        }
    }

    private static func stopLocked(within nanoseconds: UInt64) {
        guard unsafe isStarted else { return }
        let deadline = cwinnow_clock_monotonic() + nanoseconds
        // With the hooks, as at the start.
        _ = cwinnow_capture_stop(nanoseconds)
        unsafe isStarted = false
        unsafe isReplaceable = false
        updateHooks()
        _ = cwinnow_printed_flush(0)
        let now = min(cwinnow_clock_monotonic(), deadline)
        guard !LineWorker.isCurrent else { return }
        _ = cwinnow_lines_await(cwinnow_lines_put_count(), deadline - now)
    }

    /// Has no line be taken any more but those of scopes, for which hooks stay active.
    private static func forgetRules() {
        guard unsafe !isStarted else { return }
        LineWorker.shared.install(RuleSet([], otherwise: .pass), receiver: nil)
        cwinnow_printed_reset_verdicts()
    }
}

// MARK: - The process

extension RedirectEngine {
    /// Makes what is made once for a process, and again in the child of a fork.
    private static func prepare() throws(RedirectError) {
        guard unsafe !isPrepared else { return }
        let judge = unsafe cwinnow_printed_judge(
            verdict: { LineWorker.shared.verdict(origin: $0, stream: $1) },
            scope: { unsafe CapturedScope.take($0, $1, $2, $3) }
        )
        guard cwinnow_printed_prepare(judge), cwinnow_lines_prepare() else {
            throw .failed("there is no memory for its queue")
        }
        cwinnow_origins_prepare()
        // Looked up with the lock, which a fork waits for: a child would wait for who began it for ever.
        _ = unseenFunctions
        unsafe hookCount = cwinnow_hooks_install()
        guard LineWorker.shared.start() else { throw .failed("there is no thread for it") }
        _ = isForEnd
        Pipeline.prepareForEnd()
        unsafe isPrepared = true
    }

    /// Whether the process ends with what was printed worked off.
    private static let isForEnd: Bool = {
        Pipeline.register(ProcessSteps(beforeEnd: { end(by: $0) }))
        return true
    }()

    /// Whether a fork waits for the lock: before that is first taken.
    private static let isForkAware: Bool = {
        let steps = ProcessSteps(
            beforeFork: { beforeFork() },
            inParent: { afterForkInParent() },
            inChild: { afterForkInChild() }
        )
        Pipeline.register(steps)
        return true
    }()

    private static func end(by end: ProcessEnd) {
        switch end {
        case .exit:
            LineWorker.shared.awaitReaders(within: patience)
            finish(awaitsReaders: true)
        case .killed: finish(awaitsReaders: false)
        case .early, .mendable: handOver()
        }
    }

    /// At the end of the process: puts everything back, and has what was printed worked off.
    private static func finish(awaitsReaders: Bool) {
        // Another thread may be within a start, or the one that was hit.
        let isHeld = lock.acquire(within: patience / 2)
        stopLocked(within: patience)
        if isHeld { lock.release() }
        // What descriptors still held, and lines without an end.
        if awaitsReaders { LineWorker.shared.awaitReaders(within: patience) }
        LineWorker.shared.tellRepeats(within: patience)
        LineWorker.shared.reportUntold()
        LineWorker.shared.reportLosses(isLast: true)
        LineWorker.shared.printRest(until: cwinnow_clock_monotonic() + patience)
        // What nobody reads is given up only there.
        LineWorker.shared.reportLosses(isLast: true)
    }

    /// Where the process may go on: has what was printed before worked off, with a bound, and
    /// changes nothing.
    private static func handOver() {
        guard !LineWorker.isCurrent else { return }
        let deadline = cwinnow_clock_monotonic() + patience
        _ = cwinnow_capture_drain(patience / 2)
        let now = min(cwinnow_clock_monotonic(), deadline)
        _ = cwinnow_lines_await(cwinnow_lines_put_count(), deadline - now)
        LineWorker.shared.tellRepeats(within: patience / 2)
    }

    // No lock is held over a fork that a hook takes: who prints may hold any other, as libc's of its
    // streams, and a handler of the fork may print.

    private static func beforeFork() {
        lock.acquire()
        guard unsafe isPrepared else { return }
        LineWorker.shared.restForFork()
        cwinnow_hooks_before_fork()
    }

    private static func afterForkInParent() {
        defer { lock.release() }
        guard unsafe isPrepared else { return }
        cwinnow_hooks_after_fork(false)
        LineWorker.shared.goOnAfterFork()
    }

    private static func afterForkInChild() {
        defer { lock.reset() }
        guard unsafe isPrepared else { return }
        cwinnow_lines_after_fork()
        cwinnow_origins_after_fork()
        cwinnow_printed_after_fork()
        cwinnow_capture_after_fork()
        LineWorker.shared.forgetParent()
        unsafe isStarted = false
        unsafe isReplaceable = false
        unsafe isPrepared = false
        unsafe scopeCount = 0
        cwinnow_hooks_after_fork(true)
    }
}
