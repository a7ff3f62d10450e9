// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import CWinnowRedirect
internal import Synchronization
internal import WinnowCore
internal import WinnowPipeline

/// The thread that works off what was printed: it asks the rules and does what they say.
///
/// It sleeps as long as nothing is printed that rules must look at. What runs on it, the regular
/// expressions of rules and the sinks, may print and log: it is one of Winnow's threads, whose output
/// no hook takes.
final class LineWorker: Sendable {
    static let shared = LineWorker()

    /// Guards the rules.
    let lock = Lock(.leaf)
    // SAFETY: read and written with the lock held.
    private nonisolated(unsafe) var rules = RuleSet([], otherwise: .pass)
    // SAFETY: as above.
    private nonisolated(unsafe) var receiver: (any LineReceiver)?
    /// Changes with the rules.
    let generation = Atomic<UInt64>(0)
    /// When the tables are to be looked at again, by the monotonic clock; 0 for not at all.
    let renewal = Atomic<UInt64>(0)
    /// The time until the look behind the next.
    let renewalPause = Atomic<UInt64>(0)
    /// How often they are looked at on for an object that is not loaded to its end.
    let awaitedLooks = Atomic<Int>(0)
    private let isRunning = Atomic<Bool>(false)
    let threadID = Atomic<Int32>(0)
    /// Held by the thread but while it waits for lines: whatever it does may hold a lock of Swift's runtime or of
    /// libc, which the child of a fork would find held for ever.
    let round = Lock(.lines)
    private let isResting = Atomic<Bool>(false)
    /// When losses are reported again.
    private let nextReport = Atomic<UInt64>(0)
    /// The nanoseconds between two reports of losses.
    private static let reportPause: UInt64 = 1_000_000_000
    /// The nanoseconds for which a fork waits until the thread rests.
    private static let forkPatience: UInt64 = 200_000_000
    private let reportedCrowdedOut = Atomic<UInt64>(0)
    private let reportedUnprinted = Atomic<UInt64>(0)

    /// The stream that a line is being printed to, which may take as long as nobody reads it; 0 for none.
    let printing = Atomic<Int32>(0)
    let tally = LineTally()
    /// Whether the thread is to tell what it has collapsed, though the time is not over.
    let isToTell = Atomic<Bool>(false)
    /// What of the present batch is not worked off yet.
    let rest = LineRest()

    /// Whether this thread is the worker.
    static var isCurrent: Bool {
        shared.threadID.load(ordering: .relaxed) == cwinnow_thread_id()
    }

    /// Starts the thread where it does not run; false where the system refuses.
    func start() -> Bool {
        guard !isRunning.load(ordering: .relaxed) else { return true }
        let isStarted = OwnThread.start("winnow-redirect", run) == 0
        isRunning.store(isStarted, ordering: .relaxed)
        return isStarted
    }

    /// The rules that hold now, and what logs.
    var present: (rules: RuleSet, receiver: (any LineReceiver)?) {
        lock.withLock { unsafe (rules, receiver) }
    }

    /// Puts rules in place of the present ones.
    func install(_ rules: RuleSet, receiver: (any LineReceiver)?) {
        lock.withLock {
            unsafe self.rules = rules
            unsafe self.receiver = receiver
        }
        generation.add(1, ordering: .releasing)
        // What the runtime makes of types at the first time takes 15 KB of the stack, and who
        // prints may have little.
        PrintedStream.allCases.forEach {
            _ = verdict(origin: UInt32(CWINNOW_ORIGIN_UNKNOWN), stream: $0.rawValue)
        }
    }

    /// What is decided of an origin alone; called within a hook.
    func verdict(origin: UInt32, stream: Int32) -> cwinnow_verdict {
        guard let of = PrintedStream(rawValue: stream) else { return CWINNOW_VERDICT_PASS }
        let (rules, receiver) = present
        guard receiver != nil else { return CWINNOW_VERDICT_PASS }
        switch rules.verdict(origin: LineOrigin(number: origin), stream: of) {
        case .drop: return CWINNOW_VERDICT_DROP
        case .text: return CWINNOW_VERDICT_TAKE
        case .pass:
            // In a captured descriptor it would be anybody's.
            let isCaptured = cwinnow_descriptor_original(stream) != stream
            return isCaptured ? CWINNOW_VERDICT_TAKE : CWINNOW_VERDICT_PASS
        }
    }

    /// Has the tables be looked at again shortly, twice: the loader may have resolved a name while a
    /// hook was put in its place, and have written over it.
    func renewSoon() {
        beginRenewals()
        cwinnow_lines_wake()
    }

    /// Says how many lines were lost since that was said last, at most once a second but at the end.
    func reportLosses(isLast: Bool = false) {
        let crowdedOut = LineTally.crowdedOut
        tally.noteFailed()
        let unprinted = tally.unprinted.count
        let now = cwinnow_clock_monotonic()
        let isNews =
            crowdedOut > reportedCrowdedOut.load(ordering: .relaxed)
            || unprinted > reportedUnprinted.load(ordering: .relaxed)
        guard isNews, isLast || now >= nextReport.load(ordering: .relaxed) else { return }
        nextReport.store(now + Self.reportPause, ordering: .relaxed)
        report(
            Self.news(reportedCrowdedOut, crowdedOut),
            because: "the queue of the redirect was full"
        )
        report(
            Self.news(reportedUnprinted, unprinted),
            because: "they were to be printed, and the stream did not take them"
        )
    }

    /// Says at the end of the process how many lines were collapsed that the worker, slow or stuck, has
    /// not told.
    func reportUntold() {
        let count = tally.untold.count
        guard count > 0, let receiver = present.receiver else { return }
        receiver.report(
            "\(count) printed lines were collapsed, and which lines they equal was not told",
            fields: [Field("repeated", .unsigned(count))]
        )
    }

    /// How much a count has grown since another thread, or this one, has reported it.
    private static func news(_ reported: borrowing Atomic<UInt64>, _ count: UInt64) -> UInt64 {
        let before = reported.max(count, ordering: .relaxed).oldValue
        return count > before ? count - before : 0
    }

    /// Has the thread be between two batches while the process forks, for a bounded time: the child
    /// would find held what it has locked of the runtime and of libc.
    func restForFork() {
        let isAllowed = !Self.isCurrent && round.acquire(within: Self.forkPatience)
        isResting.store(isAllowed, ordering: .relaxed)
    }

    /// Ends what ``restForFork()`` began: in the parent.
    func goOnAfterFork() {
        if isResting.exchange(false, ordering: .relaxed) { round.release() }
    }

    private func report(_ count: UInt64, because reason: String) {
        guard count > 0, let receiver = present.receiver else { return }
        receiver.report(
            "\(count) printed lines were lost: \(reason)",
            fields: [Field("lost", .unsigned(count))]
        )
    }

    /// Forgets the parent's thread and rules: in the child of a fork.
    func forgetParent() {
        lock.reset()
        round.reset()
        isResting.store(false, ordering: .relaxed)
        unsafe rules = RuleSet([], otherwise: .pass)
        unsafe receiver = nil
        isRunning.store(false, ordering: .relaxed)
        threadID.store(0, ordering: .relaxed)
        printing.store(0, ordering: .relaxed)
        isToTell.store(false, ordering: .relaxed)
        tally.reset()
        rest.forget()
        reportedCrowdedOut.store(0, ordering: .relaxed)
        reportedUnprinted.store(0, ordering: .relaxed)
    }
}
