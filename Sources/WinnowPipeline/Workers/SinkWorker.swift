// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// The delivery of what waits for sinks: what they could not take before, and the rest of what they have
/// taken in part.
///
/// One thread serves all sinks that come with Winnow. Each of the program's own has another, as it may take
/// long, or not return: it keeps none of the others from their records. In deferred delivery such a
/// sink gets all its records from there: see ``Route/isHandedOver``.
struct SinkWorker {
    /// The pause after a round in which a sink took something; it doubles with each round in which none did.
    ///
    /// It grows to the long pause, which suits a receiver that waits for a processor, and after two seconds
    /// in vain to the longest one, which costs nothing. In nanoseconds.
    private static let shortPause: UInt64 = 2_000_000
    private static let longPause: UInt64 = 20_000_000
    private static let longestPause: UInt64 = 500_000_000
    private static let hopeful: UInt64 = 2_000_000_000
    /// How long the shared one waits for sinks in a round, each for an equal part of that.
    private static let patience: UInt64 = 20_000_000
    /// How many records it delivers before it looks around.
    private static let countAtATime = 256
    /// How long it takes for that at most, but for the record that the sink takes then, in nanoseconds.
    private static let timeAtATime: UInt64 = 20_000_000
    /// How often, and how long, it gives way while there is always something to do, in nanoseconds.
    private static let restInterval: UInt64 = 5_000_000
    private static let rest: UInt64 = 50_000

    private let thread: ServiceThread
    /// Whether the thread serves the sinks that come with Winnow.
    private let isShared: Bool

    private init(_ thread: ServiceThread) {
        self.thread = thread
        isShared = thread === Outlet.sharedWorker
    }

    /// Serves the sinks of the thread, for as long as the process lives: on that thread.
    static func serve(on thread: ServiceThread) {
        SinkWorker(thread).run()
    }

    private func run() {
        var pause = Self.shortPause
        var lastProgress = cwinnow_clock_monotonic()
        var lastRest = lastProgress
        while true {
            thread.awaitRequest()
            let progress = deliver()
            let isOwing = isShared && sendRests()
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
            // A sink that only this thread serves is not kept waiting for its next records.
            if isShared || !progress {
                thread.pause(pause)
            } else if now - lastRest >= Self.restInterval {
                // Whoever waits for the lock of the sink, or to fork, would not get it for one that is free
                // between two rounds.
                thread.giveWay(Self.rest)
                lastRest = cwinnow_clock_monotonic()
            }
            thread.goOn()
        }
    }

    private func isMine(_ route: Route) -> Bool { route.outlet.worker === thread }

    /// The routes that lead to its sinks.
    private var openRoutes: [(mark: UInt64, route: Route)] {
        Topology.openRoutes.filter { isMine($0.route) }
    }

    /// Has each route with a backlog deliver some of it; true where one did.
    private func deliver() -> Bool {
        let routes = openRoutes.filter {
            $0.route.account.isBacklogged
                || $0.route.account.isHandedOver && $0.route.account.isOwingReport
        }
        // Also those of the configuration on which no record waits: one may come meanwhile. To an earlier one
        // only calls bring more that had begun before it was replaced: their order among threads is open.
        let all = isShared ? [] : openRoutes
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
            beginTurn(amongCount: routes.count)
            let deadline = cwinnow_clock_monotonic() + Self.timeAtATime
            let isPatient = isShared
            progress =
                $0.retry(limit: limit, until: isPatient ? .max : deadline, content: &content)
                || progress
        }
        return progress
    }

    /// Limits how long the next sink may keep the shared worker from the others.
    private func beginTurn(amongCount count: Int) {
        if isShared { SinkPatience.rest = Self.patience / UInt64(max(count, 1)) }
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
        guard OwedRest.takeNote(), let topology = Topology.current else { return false }
        var isOwing = false
        let routes = topology.routes
        Delivery.visit(zip(topology.marks, routes)) {
            beginTurn(amongCount: routes.count)
            isOwing = $0.sendRests() || isOwing
        }
        if isOwing { OwedRest.keepNote() }
        return isOwing
    }

    /// Tells the other routes the news of each route, or has the shared worker do so.
    private func tellNews() {
        beginTurn(amongCount: 1)
        if isShared {
            News.tell(handsOver: true)
        } else if openRoutes.contains(where: { $0.route.account.isInTrouble }) {
            Outlet.sharedWorker.wake()
        }
    }
}
