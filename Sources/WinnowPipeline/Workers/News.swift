// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
package import WinnowCore

/// What the other routes are told of a sink that takes nothing, while it lasts and at its end.
///
/// The sink's own log has its losses and how long it was away, but only when it is back; an operator
/// who reads the others learns of it after a second, and after five of one that is only busy.
package enum News {
    /// Says on the other routes what is to be said of each; on standard error where no other takes
    /// warnings now.
    ///
    /// What it says is no record of the program: a route that takes it counts nothing, and one that does not
    /// take it has at most its own stall to tell.
    static func tell() {
        for route in RoutingPlan.current?.routes ?? [] {
            guard let news = route.takeNews() else { continue }
            let text = news.text(of: route.name, explain: route.explain)
            let isHeard = tellOthers(than: route, text)
            if isHeard, case .stall(let told, _) = news {
                route.account.update { $0.health.noteHeard(told) }
            }
        }
    }

    /// Says something of a sink on the other routes; on standard error where no other takes warnings
    /// now.
    ///
    /// Returns whether somebody hears it.
    @discardableResult
    static func tellOthers(than route: SinkRoute, _ text: String) -> Bool {
        let others = others(than: route)
        guard !others.isEmpty else { return LastWords.say(text) }
        var isHeard = false
        Distribution.visit(others) {
            isHeard = $0.announce(text, level: .warning, fields: []) || isHeard
        }
        return isHeard || LastWords.say(text)
    }

    /// Says something of a sink in the logs of the others that take it now: at the end of the
    /// process, for which nothing may wait any more.
    ///
    /// Without fields: the other log's reader would take the loss for one of that log.
    ///
    /// - Parameters:
    ///   - route: The way to the sink.
    ///   - text: What to say.
    ///   - deadline: How long sinks of the program's own may take, on CLOCK_MONOTONIC.
    /// - Returns: Whether one has it.
    static func tellOthersAtOnce(than route: SinkRoute, _ text: String, until deadline: UInt64)
        -> Bool
    {
        let free = others(than: route).filter { !$0.account.isBehind }
        return Distribution.callSinks(of: free, until: deadline) { write(text, to: $0) }
            .contains(true)
    }

    /// The other routes that take warnings now.
    private static func others(than route: SinkRoute) -> [SinkRoute] {
        (RoutingPlan.current?.routes ?? []).filter { other in
            other.slot !== route.slot && other.levels.contains(.warning)
                && !other.account.isInTrouble
        }
    }

    /// Writes a warning of Winnow's own where nothing waits for the sink and nobody stays inside it; returns whether
    /// the sink has handed it on.
    private static func write(_ text: String, to route: SinkRoute) -> Bool {
        guard !route.account.isBehind, route.slot.lock.acquire(within: Bounds.politeness) else {
            return false
        }
        defer { route.slot.lock.release() }
        do throws(SinkError) {
            try OwnRecord.write(text, level: .warning, to: route.slot.sink)
            try route.slot.sink.flush()
        } catch {
            return false
        }
        return true
    }
}

/// What is said to all sinks.
extension News {
    /// Says something of Winnow's own to every sink, whatever the filter; on standard error where
    /// there is no route, or one that cannot even keep it.
    ///
    /// - Parameters:
    ///   - text: The message.
    ///   - level: The level of the record.
    ///   - fields: Its fields.
    ///   - name: The route that gets the fields, where not all do: what a sink has lost would be taken in the
    ///     log of another one for a loss of its own.
    ///   - onlyWhereTaken: Whether the routes' levels hold.
    package static func announce(
        _ text: String,
        level: Level,
        fields: [Field] = [],
        fieldsFor name: String? = nil,
        onlyWhereTaken: Bool = false
    ) {
        guard let plan = RoutingPlan.current, !plan.routes.isEmpty else {
            LastWords.say(text)
            return
        }
        var isLost = false
        Distribution.visit(plan.routes) { route in
            if onlyWhereTaken && !route.levels.contains(level) { return }
            let isMeant = name == nil || name == route.name
            let isKept = route.announce(text, level: level, fields: isMeant ? fields : [])
            isLost = isLost || !isKept
        }
        if isLost { LastWords.say(text) }
    }

    /// Says what is to be said of the categories and was not said yet.
    ///
    /// MT-Safe, AS-Unsafe.
    package static func tellFindings() {
        Categories.takeFindings().forEach { announce($0, level: .warning) }
    }
}
