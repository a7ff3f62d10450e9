// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// What becomes of records that a sink has not taken in time, at the end of the process or of the
/// configuration.
extension Distribution {
    /// Counts what still waits for a sink as lost, and reports it to the sink where that takes a record more.
    ///
    /// A thread that is delivering stops after the record that it is writing, so that none is both counted as
    /// lost and written, unless the sink does not return before the deadline.
    ///
    /// - Parameters:
    ///   - route: The way to the sink.
    ///   - cause: Why they are lost.
    ///   - deadline: Until when to wait for a thread that is inside the sink, on CLOCK_MONOTONIC.
    /// - Returns: The waiting messages of Winnow's own, which are in no account, as the program did not log
    ///   them.
    @discardableResult
    package static func abandon(
        _ route: SinkRoute,
        cause: LossCause,
        until deadline: UInt64
    ) -> [String] {
        route.account.isAbandoned = true
        defer { route.account.isAbandoned = false }
        let isFree = route.acquireSlot(until: deadline, within: .max)
        if isFree, !route.isForeign { loseOwed(of: route, cause: cause) }
        let unheard = route.loseWaiting(
            cause: cause,
            isLast: cause == .exit && Stage.has(reached: .closed)
        )
        guard isFree else { return unheard }
        guard route.isForeign else {
            // What is said of the losses would be lost as well.
            if cause == .exit { route.slot.builtInSink?.makeRoom() }
            _ = route.reportAndFlushLocked()
            route.slot.lock.release()
            return unheard
        }
        route.slot.lock.release()
        _ = withSink(of: route, until: deadline) { $0.reportAndFlush(until: deadline) }
        return unheard
    }

    /// Has the body call the sink of a route, in whose name this thread runs: one of the program's own from its
    /// worker alone, as it may not return.
    ///
    /// - Parameters:
    ///   - route: The way to the sink.
    ///   - deadline: How long to wait for that worker, on CLOCK_MONOTONIC.
    ///   - body: What to do.
    /// - Returns: What the body returns; false if it has not returned in time.
    static func withSink(
        of route: SinkRoute,
        until deadline: UInt64,
        _ body: @escaping @Sendable (SinkRoute) -> Bool
    ) -> Bool {
        guard let call = SinkCall(of: route, body) else { return body(route) }
        defer { call.withdraw() }
        return call.wait(until: deadline) ?? false
    }

    /// Counts as lost what the sink, or its fallback, has delivered in part, and still does not
    /// complete; with the lock of the slot held.
    private static func loseOwed(of route: SinkRoute, cause: LossCause) {
        _ = route.flushSinks()
        for header in takeOwed(from: route.slot, cause: cause) {
            let bringer = bringers(of: header, like: route).first {
                $0.account.mayHaveDelivered(header)
            }
            (bringer ?? route).account.loseDelivered(header, cause: cause)
        }
        guard let fallback = route.fallback, fallback.lock.acquire(within: Bounds.sink) else {
            return
        }
        defer { fallback.lock.release() }
        for header in takeOwed(from: fallback, cause: cause) {
            route.account.loseDelivered(header, cause: cause, wasDiverted: true)
        }
    }

    /// Takes what a sink owes of the program's; nothing where it goes on as one of the next
    /// configuration.
    private static func takeOwed(from slot: SinkSlot, cause: LossCause) -> [RecordHeader] {
        if cause == .replaced, RoutingPlan.current?.leads(to: slot) == true { return [] }
        return slot.builtInSink?.takeOwed().filter(\.isOfProgram) ?? []
    }

    /// Returns the routes that may have brought a record to the sink of a route, the likeliest first: all that
    /// share it and let the level through.
    private static func bringers(
        of header: RecordHeader,
        like route: SinkRoute
    ) -> some Sequence<SinkRoute> {
        let earlier = RoutingPlan.earlier.reversed().flatMap(\.routes)
        return ([route] + (RoutingPlan.current?.routes ?? []) + earlier).filter {
            $0.slot === route.slot && $0.levels.contains(header.level)
        }
    }
}
