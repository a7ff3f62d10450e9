// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// What becomes of records that a sink has not taken in time, at the end of the process or of the
/// configuration.
extension Distribution {
    /// Counts what still waits for sinks as lost, and reports it to each that takes a record more.
    ///
    /// A thread that is delivering stops after the record that it is writing, so that none is both counted as
    /// lost and written, unless the sink does not return before the deadline.
    ///
    /// - Parameters:
    ///   - routes: The ways to the sinks.
    ///   - cause: Why they are lost.
    ///   - deadline: Until when to wait for threads that are inside the sinks, on CLOCK_MONOTONIC.
    /// - Returns: Of each route the waiting messages of Winnow's own, which are in no account, as the program did
    ///   not log them.
    @discardableResult
    package static func abandon(
        _ routes: [SinkRoute],
        cause: LossCause,
        until deadline: UInt64
    ) -> [[String]] {
        routes.forEach { $0.account.isAbandoned = true }
        defer { routes.forEach { $0.account.isAbandoned = false } }
        let isLast = cause == .exit && Stage.has(reached: .closed)
        _ = callSinks(of: routes, until: deadline) { route in
            guard route.acquireSlot(until: deadline, within: .max) else { return false }
            defer { route.slot.lock.release() }
            if !route.isForeign { loseOwed(of: route, cause: cause) }
            route.loseWaiting(cause: cause, isLast: isLast)
            // What is said of the losses would be lost as well.
            if cause == .exit { route.slot.builtInSink?.makeRoom() }
            return route.reportAndFlushLocked()
        }
        // Of sinks as well that somebody is still inside of.
        routes.forEach { $0.loseWaiting(cause: cause, isLast: isLast) }
        return routes.map { $0.takeUnheard() }
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
