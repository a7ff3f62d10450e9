// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// The delivery of what waits for sinks: what they could not take before, and the rest of what they have
/// taken in part.
///
/// One thread serves all sinks that come with Winnow. Each of the program's own has another, as it may take
/// long, or not return: it keeps none of the others from their records. In deferred delivery such a
/// sink gets all its records from there: see ``RouteAccount/isHandedOver``.
struct SinkWorker {
    /// How many records it delivers before it looks around.
    private static let countAtATime = 256

    private let thread: ServiceThread
    /// Whether the thread serves the sinks that come with Winnow.
    private let isShared: Bool

    private init(_ thread: ServiceThread) {
        self.thread = thread
        isShared = thread === SinkSlot.sharedWorker
    }

    /// Serves the sinks of the thread, for as long as the process lives: on that thread.
    static func serve(on thread: ServiceThread) {
        SinkWorker(thread).run()
    }

    private func run() {
        var pause = Bounds.SinkWorker.shortPause
        var lastProgress = cwinnow_clock_monotonic()
        var lastRest = lastProgress
        while true {
            thread.awaitRequest()
            thread.answerCalls()
            let progress = deliver()
            let isOwing = isShared && sendRests()
            tellNews()
            Control.look()
            ShownAccounts.update()
            let now = cwinnow_clock_monotonic()
            let isBacklogged = openRoutes.contains { $0.account.isBacklogged }
            if progress || !(isBacklogged || isOwing) {
                lastProgress = now
                pause = Bounds.SinkWorker.shortPause
            } else {
                let longest =
                    now - lastProgress < Bounds.SinkWorker.hope
                    ? Bounds.SinkWorker.longPause : Bounds.SinkWorker.longestPause
                pause = min(pause * 2, longest)
            }
            guard isBacklogged || isOwing else { continue }
            // A sink that only this thread serves is not kept waiting for its next records.
            if isShared || !progress {
                thread.pause(pause)
            } else if now - lastRest >= Bounds.SinkWorker.restInterval {
                // Whoever waits for the lock of the sink, or to fork, would not get it for one that is free
                // between two rounds.
                thread.giveWay(Bounds.SinkWorker.rest)
                lastRest = cwinnow_clock_monotonic()
            }
            thread.goOn()
        }
    }

    /// The routes that lead to its sinks.
    private var openRoutes: [SinkRoute] {
        RoutingPlan.openRoutes.filter { $0.slot.worker === thread }
    }

    /// Has each route with a backlog deliver some of it; true where one did.
    private func deliver() -> Bool {
        let routes = openRoutes.filter {
            $0.account.isBacklogged
                || $0.account.holds(.handedOver) && $0.account.isOwingReport
        }
        // Also routes of the configuration on which no record waits: one may come meanwhile. To an earlier one
        // only calls bring more that had begun before it was replaced: their order among threads is open.
        let all = isShared ? [] : openRoutes
        let progress =
            all.count > 1 ? deliverInTurn(all) : deliver(routes, limit: Self.countAtATime)
        // A sink may hold back what it was given until it is flushed, also at the end of the process.
        Distribution.visit(progress && !isShared ? all : routes) {
            if $0.account.holds(.handedOver) { _ = $0.reportAndFlush() }
        }
        return progress
    }

    private func deliver(_ routes: [SinkRoute], limit: Int) -> Bool {
        var progress = false
        var content = RecordContent()
        Distribution.visit(routes) {
            beginTurn(amongCount: routes.count)
            let deadline = cwinnow_clock_monotonic() + Bounds.SinkWorker.round
            let isPatient = isShared
            progress =
                $0.retry(limit: limit, until: isPatient ? .max : deadline, content: &content)
                || progress
        }
        return progress
    }

    /// Limits how long the next sink may keep the shared worker from the others.
    private func beginTurn(amongCount count: Int) {
        if isShared { SinkPatience.rest = Bounds.SinkWorker.sinks / UInt64(max(count, 1)) }
    }

    /// Has the sink take the records of several routes, of one configuration or of several, in their order.
    private func deliverInTurn(_ routes: [SinkRoute]) -> Bool {
        let deadline = cwinnow_clock_monotonic() + Bounds.SinkWorker.round
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
    /// A record that two looks in a row find first is the first: earlier ones were there when it was first seen.
    private func first(of routes: [SinkRoute]) -> SinkRoute? {
        var known: UInt64?
        while true {
            let waiting = routes.compactMap { route in
                route.account.firstNumber.map { (number: $0, route: route) }
            }
            guard let first = waiting.min(by: { $0.number < $1.number }) else { return nil }
            if first.number == known { return first.route }
            known = first.number
        }
    }

    /// Has the sinks send what they owe, where one has noted that; true where one still does.
    private func sendRests() -> Bool {
        guard OwedRest.takeNote(), let plan = RoutingPlan.current else { return false }
        var isOwing = false
        let routes = plan.routes
        Distribution.visit(routes) {
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
            News.tell()
        } else if openRoutes.contains(where: { $0.account.isInTrouble }) {
            SinkSlot.sharedWorker.wake()
        }
    }
}
