// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// How far a flush is to come with one sink, so that what is logged meanwhile is not waited for.
final class FlushGoal {
    let route: SinkRoute
    private let goal: RouteAccount.Goal
    /// The flush of a sink of the program's own: it is asked for once, however often it is waited for.
    private var call: Distribution.SinkCall?

    init(of route: SinkRoute) {
        self.route = route
        goal = route.account.goal
    }

    deinit { call?.withdraw() }

    var isReached: Bool { route.account.hasReached(goal) }

    /// Asks the worker of a sink of the program's own to flush it, unless it is asked already.
    func ask(until deadline: UInt64) {
        guard call == nil else { return }
        call = Distribution.SinkCall(of: route) { $0.reportAndFlush(until: deadline) }
    }

    /// Delivers what waits for the sink, for as long as it takes records, and flushes it; returns whether nothing is
    /// left.
    ///
    /// The worker of a sink of the program's own is waited for as long as its turn lasts.
    func reach(until deadline: UInt64, turn: UInt64) -> Bool {
        deliver(until: deadline, turn: turn)
        // One of the program's own is flushed with what its worker gives it.
        guard isReached || !route.isForeign else { return false }
        return flush(until: deadline, turn: turn) && isReached
    }

    private func deliver(until deadline: UInt64, turn: UInt64) {
        var content = RecordContent()
        while !isReached, cwinnow_clock_monotonic() < deadline {
            // The others shall not wait for one that takes its time.
            if route.isForeign, route.slot.worker.wake() {
                route.slot.worker.hurry()
                guard route.account.await(goal, until: min(turn, deadline)) else { break }
            } else {
                guard route.retry(limit: 64, until: deadline, content: &content) else { break }
            }
        }
    }

    /// Has the sink report its losses and empty its buffers; returns whether it has.
    ///
    /// One of the program's own is asked again if it has failed.
    private func flush(until deadline: UInt64, turn: UInt64) -> Bool {
        ask(until: max(turn, deadline))
        guard let asked = call else { return route.reportAndFlush(until: deadline) }
        let outcome = asked.wait(until: turn)
        if outcome == false { call = nil }
        return outcome ?? false
    }
}
