// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// What is delivered without a record that brings it: at a flush, and at the end of a configuration or of
/// the process.
extension Distribution {
    /// Delivers what waits now, round by round, until nothing of it does or the time has passed.
    ///
    /// A sink of the program's own may not return: its own worker calls it, or this thread if the system has none for
    /// that worker.
    ///
    /// - Parameters:
    ///   - nanoseconds: The time.
    ///   - grace: How long sinks of the program's own have at least, all together: their workers have to see first
    ///     that they are asked.
    ///   - old: The configuration that was just replaced, whose sinks are flushed even if nothing waits for them.
    ///   - leavesAbsent: Whether sinks that are not there are not waited for. One that is gone for good
    ///     never is.
    ///   - makesRoom: Whether a pipe is made larger for which records wait: at the end of the process.
    /// - Returns: Whether nothing of it waits any more.
    static func flush(
        within nanoseconds: UInt64,
        grace: UInt64 = Bounds.SinkWorker.flushWait,
        of old: RoutingPlan? = nil,
        leavesAbsent: Bool = false,
        makesRoom: Bool = false
    ) -> Bool {
        guard !ThreadRole.isInsideSink else { return false }
        let deadline = cwinnow_clock_monotonic() + nanoseconds
        guard emptyRings(until: deadline, makesRoom: makesRoom) else { return false }
        var goals = Goals(of: RoutingPlan.openRoutes(and: old))
        // It may be there again, and its worker has not tried since.
        for route in goals.routes where route.isForeign { route.account.isAbsent = false }
        let number = RecordNumbers.last
        var isAnyUnderway = true
        while true {
            if isAnyUnderway, unsafe !OpenCall.isAny(upTo: number) {
                // All that had a number is settled or waits by now.
                isAnyUnderway = false
                goals = Goals(of: RoutingPlan.openRoutes(and: old))
            }
            let left = flushOnce(goals, until: deadline, grace: grace)
            if left.isEmpty, !isAnyUnderway { return true }
            let isHopeless = left.allSatisfy {
                $0.account.isAbsent && (leavesAbsent || $0.isGone)
            }
            if isHopeless && !isAnyUnderway || cwinnow_clock_monotonic() >= deadline {
                return false
            }
            if Stage.has(reached: .draining) { RoutingPlan.noteUnderway() }
            cwinnow_thread_pause(Bounds.SinkWorker.flushPause)
        }
    }

    /// Has the worker take what lies in the rings; returns whether it has.
    private static func emptyRings(until deadline: UInt64, makesRoom: Bool) -> Bool {
        let makeRoom = {
            guard makesRoom else { return }
            // For all sinks together, as one that hangs takes all of it.
            let end = min(deadline, cwinnow_clock_monotonic() + Bounds.sink)
            RoutingPlan.openRoutes.forEach { $0.makeRoom(until: end) }
        }
        makeRoom()
        // Again: what lay in the rings has waited for nobody until then.
        defer { makeRoom() }
        return RingReader.flush(until: deadline)
    }

    /// Delivers what waits once; returns the routes that have not reached their goals.
    private static func flushOnce(
        _ goals: Goals,
        until deadline: UInt64,
        grace: UInt64
    ) -> [SinkRoute] {
        let begin = cwinnow_clock_monotonic()
        // For all together: one that hangs takes no time from the others.
        let turn = max(min(begin + Bounds.SinkWorker.flushWait, deadline), begin + grace)
        goals.ask(until: max(turn, deadline))
        var left: [SinkRoute] = []
        visit(goals.routes) {
            if !flush($0, upTo: goals, until: deadline, turn: turn) { left.append($0) }
        }
        return left
    }

    /// Has sinks open their destinations anew; returns what is to be said of each that cannot.
    static func reopen(_ routes: [SinkRoute]) -> [(route: SinkRoute, text: String)] {
        let problems = Guarded<[ObjectIdentifier: String]>([:])
        let deadline = cwinnow_clock_monotonic() + Bounds.sink
        let areOpened = callSinks(of: routes, until: deadline) { route in
            guard let text = route.reopen() else { return true }
            problems.withLock { $0[ObjectIdentifier(route)] = text }
            return false
        }
        return zip(routes, areOpened).filter { !$1 }.map { route, _ in
            (route, problems.withLock { $0[ObjectIdentifier(route)] } ?? route.busyText)
        }
    }

    /// Delivers what waits for one sink, for as long as it takes records; the worker of one of the program's own is
    /// waited for as long as its turn lasts.
    private static func flush(
        _ route: SinkRoute,
        upTo goals: Goals,
        until deadline: UInt64,
        turn: UInt64
    ) -> Bool {
        let goal = goals[route]
        var content = RecordContent()
        while !route.account.hasReached(goal), cwinnow_clock_monotonic() < deadline {
            // The others shall not wait for one that takes its time.
            if route.isForeign, route.slot.worker.wake() {
                route.slot.worker.hurry()
                guard route.account.await(goal, until: min(turn, deadline)) else { break }
            } else {
                guard route.retry(limit: 64, until: deadline, content: &content) else { break }
            }
        }
        let isReached = route.account.hasReached(goal)
        // One of the program's own is flushed with what its worker gives it.
        guard isReached || !route.isForeign else { return false }
        return goals.flush(route, until: deadline, turn: turn) && isReached
    }
}

/// How far each route is to come, so that what is logged meanwhile is not waited for.
private final class Goals {
    let routes: [SinkRoute]
    private let goals: [ObjectIdentifier: RouteAccount.Goal]
    /// The flushes of the program's own sinks: each is asked for once, however often it is waited for.
    private var flushes: [ObjectIdentifier: Distribution.SinkCall] = [:]

    init(of routes: [SinkRoute]) {
        self.routes = routes
        let pairs = routes.map { (ObjectIdentifier($0), $0.account.goal) }
        goals = Dictionary(pairs) { $1 }
    }

    subscript(route: SinkRoute) -> RouteAccount.Goal {
        goals[ObjectIdentifier(route)] ?? route.account.goal
    }

    deinit {
        flushes.values.forEach { $0.withdraw() }
    }

    /// Asks the workers of the program's own sinks for which nothing waits any more to flush them: all, before one of
    /// them is waited for.
    func ask(until deadline: UInt64) {
        for route in routes where route.isForeign && route.account.hasReached(self[route]) {
            ask(route, until: deadline)
        }
    }

    /// Asks the worker of one, unless it is asked already; returns nil if it has none, or the sink is Winnow's.
    @discardableResult
    private func ask(_ route: SinkRoute, until deadline: UInt64) -> Distribution.SinkCall? {
        let key = ObjectIdentifier(route)
        let call =
            flushes[key]
            ?? Distribution.SinkCall(of: route) { $0.reportAndFlush(until: deadline) }
        flushes[key] = call
        return call
    }

    /// Has the sink report its losses and empty its buffers; returns whether it has.
    ///
    /// One of the program's own is asked again if it has failed. Its worker is waited for as long as its turn lasts.
    func flush(_ route: SinkRoute, until deadline: UInt64, turn: UInt64) -> Bool {
        guard let call = ask(route, until: max(turn, deadline)) else {
            return route.reportAndFlush(until: deadline)
        }
        let outcome = call.wait(until: turn)
        if outcome == false { flushes[ObjectIdentifier(route)] = nil }
        return outcome ?? false
    }
}
