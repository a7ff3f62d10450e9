// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// What is delivered without a record that brings it: at a flush, and at the end of a configuration or of
/// the process.
extension Distribution {
    /// Delivers what waits now, round by round, until nothing of it does or the time has passed.
    ///
    /// A sink of the program's own may not return: only its own worker calls it.
    ///
    /// - Parameters:
    ///   - nanoseconds: The time.
    ///   - old: The configuration that was just replaced, whose sinks are flushed even if nothing waits for them.
    ///   - leavesAbsent: Whether sinks that are not there are not waited for. One that is gone for good
    ///     never is.
    ///   - makesRoom: Whether a pipe is made larger for which records wait: at the end of the process.
    /// - Returns: Whether nothing of it waits any more.
    static func flush(
        within nanoseconds: UInt64,
        of old: RoutingPlan? = nil,
        leavesAbsent: Bool = false,
        makesRoom: Bool = false
    ) -> Bool {
        guard !ThreadRole.isInsideSink else { return false }
        let deadline = cwinnow_clock_monotonic() + nanoseconds
        guard RingReader.flush(until: deadline) else { return false }
        var goals = Goals(of: RoutingPlan.openRoutes(and: old))
        // Not before: what lay in the rings waits for nobody until now.
        if makesRoom { goals.routes.forEach { $0.makeRoom() } }
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
            var (isSettled, isHopeless) = (!isAnyUnderway, !isAnyUnderway)
            visit(goals.routes) { route in
                guard !flush(route, upTo: goals, until: deadline) else { return }
                isSettled = false
                let isGivenUp = route.account.isAbsent && (leavesAbsent || route.isGone)
                isHopeless = isHopeless && isGivenUp
            }
            if isSettled { return true }
            if isHopeless || cwinnow_clock_monotonic() >= deadline { return false }
            if Stage.has(reached: .draining) { RoutingPlan.noteUnderway() }
            cwinnow_thread_pause(Bounds.SinkWorker.flushPause)
        }
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

    /// Delivers what waits for one sink, for as long as it takes records.
    private static func flush(
        _ route: SinkRoute,
        upTo goals: Goals,
        until deadline: UInt64
    ) -> Bool {
        let goal = goals[route]
        var content = RecordContent()
        while !route.account.hasReached(goal), cwinnow_clock_monotonic() < deadline {
            // The others shall not wait for one that takes its time.
            if route.isForeign, route.slot.worker.wake() {
                route.slot.worker.hurry()
                guard
                    route.account.await(
                        goal,
                        within: Bounds.SinkWorker.flushWait,
                        until: deadline
                    )
                else { break }
            } else {
                guard route.retry(limit: 64, until: deadline, content: &content) else { break }
            }
        }
        let isReached = route.account.hasReached(goal)
        // One of the program's own is flushed with what its worker gives it.
        guard isReached || !route.isForeign else { return false }
        return goals.flush(route, until: deadline) && isReached
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

    /// Has the sink report its losses and empty its buffers; returns whether it has.
    ///
    /// One of the program's own is asked when nothing waits for it any more, and again if it has failed. It is not
    /// waited for long at a time, as it may not return.
    func flush(_ route: SinkRoute, until deadline: UInt64) -> Bool {
        let key = ObjectIdentifier(route)
        guard route.isForeign,
            let call = flushes[key]
                ?? Distribution.SinkCall(of: route, { $0.reportAndFlush(until: deadline) })
        else { return route.reportAndFlush(until: deadline) }
        // Also behind the deadline, or it would be withdrawn before its worker has seen it.
        let soon = cwinnow_clock_monotonic() + Bounds.SinkWorker.flushWait
        let outcome = call.wait(until: soon)
        flushes[key] = outcome == false ? nil : call
        return outcome ?? false
    }
}
