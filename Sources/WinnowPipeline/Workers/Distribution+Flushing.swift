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
        var goals = goals(of: old)
        // It may be there again, and its worker has not tried since.
        for goal in goals where goal.route.isForeign { goal.route.account.isAbsent = false }
        let number = RecordNumbers.last
        var isAnyUnderway = true
        while true {
            if isAnyUnderway, unsafe !OpenCall.isAny(upTo: number) {
                // All that had a number is settled or waits by now.
                isAnyUnderway = false
                goals = self.goals(of: old)
            }
            let left = flushOnce(goals, until: deadline, grace: grace)
            if left.isEmpty, !isAnyUnderway { return true }
            let isHopeless = left.allSatisfy {
                $0.route.account.isAbsent && (leavesAbsent || $0.route.isGone)
            }
            if isHopeless && !isAnyUnderway || cwinnow_clock_monotonic() >= deadline {
                return false
            }
            if Stage.has(reached: .draining) { RoutingPlan.noteUnderway() }
            cwinnow_thread_pause(Bounds.SinkWorker.flushPause)
        }
    }

    /// How far a flush that begins now is to come.
    @inline(never)
    private static func goals(of old: RoutingPlan?) -> [FlushGoal] {
        RoutingPlan.openRoutes(and: old).map(FlushGoal.init)
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

    /// Delivers what waits once; returns the goals that are not reached.
    private static func flushOnce(
        _ goals: [FlushGoal],
        until deadline: UInt64,
        grace: UInt64
    ) -> [FlushGoal] {
        let begin = cwinnow_clock_monotonic()
        // For all together: one that hangs takes no time from the others.
        let turn = max(min(begin + Bounds.SinkWorker.flushWait, deadline), begin + grace)
        // The program's own sinks for which nothing waits any more: all, before one of them is waited for.
        for goal in goals where goal.isReached { goal.ask(until: max(turn, deadline)) }
        var left: [FlushGoal] = []
        for goal in goals {
            visit([goal.route]) { _ in
                if !goal.reach(until: deadline, turn: turn) { left.append(goal) }
            }
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
}
