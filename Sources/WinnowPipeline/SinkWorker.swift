// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import Synchronization
internal import WinnowCore

/// A thread that delivers what waits for sinks: what they could not take before, and the rest of what
/// they have taken in part.
///
/// One serves all sinks that come with Winnow. Each of the program's own has another, as it may take
/// long, or not return: it keeps none of the others from their records. In deferred delivery such a
/// sink gets all its records from there: see ``Route/isHandedOver``.
///
/// It is started with the first such record, and sleeps without waking up while none waits.
final class SinkWorker: @unchecked Sendable {
    // SAFETY: `isStarted`, `nextStart` and `isHurried` are read and written with the lock held.

    /// The one for the sinks that come with Winnow.
    static let shared = SinkWorker()

    private static let registry = Registry()

    /// The pause after a round in which a sink took something; it doubles with each round in which none did.
    ///
    /// It grows to the long pause, which suits a receiver that waits for a processor, and after two seconds
    /// in vain to the longest one, which costs nothing. In nanoseconds.
    private static let shortPause: UInt64 = 2_000_000
    private static let longPause: UInt64 = 20_000_000
    private static let longestPause: UInt64 = 500_000_000
    private static let hopeful: UInt64 = 2_000_000_000
    /// How many records it delivers before it looks around.
    private static let countAtATime = 256
    /// How long it takes for that at most, but for the record that the sink takes then, in nanoseconds.
    private static let timeAtATime: UInt64 = 20_000_000
    /// How often, and how long, it rests while there is always something to do, in nanoseconds.
    private static let restInterval: UInt64 = 5_000_000
    private static let rest: UInt64 = 50_000

    /// How long it is not tried again to start a thread.
    private static let startPause: UInt64 = 100_000_000

    private let lock = Lock()
    private var isStarted = false
    /// When it may be tried again to start the thread, on CLOCK_MONOTONIC.
    private var nextStart: UInt64 = 0
    private let isAsked = Atomic<Bool>(false)
    /// Whether somebody waits for it to try again.
    private var isHurried = false
    private let duty = Duty()

    /// Creates a worker that is never given up, as its sink is not: see ``Outlet/shared(by:)``.
    init() {
        Self.registry.add(self)
    }

    /// Has the worker look at its routes.
    ///
    /// MT-Safe.
    ///
    /// - Returns: Whether it has a thread.
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

    /// Has the worker try again at once, if it pauses after an attempt in vain.
    ///
    /// MT-Safe.
    func hurry() {
        lock.withLock { isHurried = true }
        lock.wake()
    }

    /// Pauses for the time, which no wake-up shortens but that of ``hurry()``.
    private func pauseUnlessHurried(_ nanoseconds: UInt64) {
        let end = cwinnow_clock_monotonic() + nanoseconds
        lock.withLock {
            while !isHurried, case let now = cwinnow_clock_monotonic(), now < end {
                lock.wait(end - now)
            }
            isHurried = false
        }
    }

    /// Sleeps for the time, which no wake-up shortens.
    static func pause(_ nanoseconds: UInt64) {
        let lock = Lock()
        lock.acquire()
        lock.wait(nanoseconds)
        lock.release()
    }

    /// Starts the thread, with the lock held; without one the records wait for the next that does, for
    /// the worker of deferred delivery, for the next flush, or for the exit.
    private func start() {
        let now = cwinnow_clock_monotonic()
        if now >= nextStart {
            Ending.prepare()
            isStarted = OwnThread.start("winnow-retry", run) == 0
            nextStart = now + Self.startPause
        }
        if !isStarted { isAsked.store(false, ordering: .releasing) }
    }

    private func run() {
        duty.begin()
        // A sink of the program's own may run out of its stack.
        Ending.prepareThread()
        var pause = Self.shortPause
        var lastProgress = cwinnow_clock_monotonic()
        var lastRest = lastProgress
        while true {
            duty.rest(awaitRequest)
            let progress = deliver()
            let isOwing = self === Self.shared && sendRests()
            tellNews()
            let now = cwinnow_clock_monotonic()
            let isBacklogged = openRoutes.contains { $0.route.account.isBacklogged }
            if progress || !(isBacklogged || isOwing) {
                lastProgress = now
                pause = Self.shortPause
            } else {
                let longest = now - lastProgress < Self.hopeful ? Self.longPause : Self.longestPause
                pause = min(pause * 2, longest)
            }
            guard isBacklogged || isOwing else { continue }
            // A sink that only this worker serves is not kept waiting for its next records.
            if self === Self.shared || !progress {
                duty.rest { pauseUnlessHurried(pause) }
            } else if now - lastRest >= Self.restInterval {
                // Whoever waits for the lock of the sink, or to fork, would not get it for one that is free
                // between two rounds.
                duty.rest { cwinnow_thread_pause(Self.rest) }
                lastRest = cwinnow_clock_monotonic()
            }
            isAsked.store(true, ordering: .releasing)
        }
    }

    private func awaitRequest() {
        lock.withLock {
            while !isAsked.exchange(false, ordering: .acquiringAndReleasing) { lock.wait(0) }
        }
    }

    private func isMine(_ route: Route) -> Bool { route.outlet.worker === self }

    /// The routes that lead to its sinks.
    private var openRoutes: [(mark: UInt64, route: Route)] {
        Pipeline.openRoutes.filter { isMine($0.route) }
    }

    /// Has each route with a backlog deliver some of it; true where one did.
    private func deliver() -> Bool {
        let routes = openRoutes.filter {
            $0.route.account.isBacklogged
                || $0.route.account.isHandedOver && $0.route.account.isOwingReport
        }
        // Also those of the configuration on which no record waits: one may come meanwhile. To an earlier one
        // only calls bring more that had begun before it was replaced: their order among threads is open.
        let all = self === Self.shared ? [] : openRoutes
        let progress =
            all.count > 1 ? deliverInTurn(all) : deliver(routes, limit: Self.countAtATime)
        // A sink may hold back what it was given until it is flushed.
        Delivery.visit(routes.map { ($0.mark, $0.route) }) {
            if $0.account.isHandedOver { _ = $0.reportAndFlush() }
        }
        return progress
    }

    private func deliver(_ routes: [(mark: UInt64, route: Route)], limit: Int) -> Bool {
        var progress = false
        var content = RecordContent()
        Delivery.visit(routes.map { ($0.mark, $0.route) }) {
            let deadline = cwinnow_clock_monotonic() + Self.timeAtATime
            let isPatient = self === Self.shared
            progress =
                $0.retry(limit: limit, until: isPatient ? .max : deadline, content: &content)
                || progress
        }
        return progress
    }

    /// Does so where several routes lead to the sink, of one configuration or of several: it gets the
    /// records in their order.
    private func deliverInTurn(_ routes: [(mark: UInt64, route: Route)]) -> Bool {
        let deadline = cwinnow_clock_monotonic() + Self.timeAtATime
        for count in 0..<Self.countAtATime {
            guard let first = first(of: routes), deliver([first], limit: 1) else {
                return count > 0
            }
            if cwinnow_clock_monotonic() >= deadline { break }
        }
        return true
    }

    /// The route on which the record waits that comes before all others.
    ///
    /// The routes are looked at one after the other, and an earlier record may come to one behind this look.
    /// If a second look finds the same record first, it is: those before it were there when it was first
    /// seen.
    private func first(
        of routes: [(mark: UInt64, route: Route)]
    ) -> (mark: UInt64, route: Route)? {
        var known: UInt64?
        while true {
            let waiting = routes.compactMap { next in
                next.route.account.firstNumber.map { (number: $0, next: next) }
            }
            guard let first = waiting.min(by: { $0.number < $1.number }) else { return nil }
            if first.number == known { return first.next }
            known = first.number
        }
    }

    /// Has the sinks send what they owe, where one has noted that; true where one still does.
    private func sendRests() -> Bool {
        guard OwedRest.takeNote(), let topology = Pipeline.topology else { return false }
        var isOwing = false
        Delivery.visit(zip(topology.marks, topology.routes)) { isOwing = $0.sendRests() || isOwing }
        if isOwing { OwedRest.keepNote() }
        return isOwing
    }

    /// Tells the other routes the news of each route, or has the shared worker do so.
    private func tellNews() {
        if self === Self.shared {
            Route.tellNews(handsOver: true)
        } else if openRoutes.contains(where: { $0.route.account.isInTrouble }) {
            Self.shared.wake()
        }
    }
}

/// All workers, as a fork(2) finds them.
extension SinkWorker {
    private final class Registry: @unchecked Sendable {
        // SAFETY: every access to the array holds the lock.
        let lock = Lock()
        private var workers: [SinkWorker] = []

        func add(_ worker: SinkWorker) {
            lock.withLock { workers.append(worker) }
        }

        /// All of them; with the lock held, or where there is one thread.
        var all: [SinkWorker] { workers }
    }

    /// What a fork(2) waits for.
    static var duties: [Duty] {
        registry.lock.withLock { registry.all.map(\.duty) }
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
        for worker in registry.all {
            worker.lock.reset()
            worker.duty.forgetParent()
            worker.isStarted = false
            worker.isHurried = false
            worker.nextStart = 0
            worker.isAsked.store(false, ordering: .relaxed)
        }
    }

    /// Makes what the child of a fork goes through: see `Lifecycle`.
    static func prepareForFork() {
        shared.lock.withLock {}
    }
}
