// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// The numbers that a sink does not have because an earlier configuration kept their levels from it.
///
/// They would look like losses in its log: see ``RecordNumbers``.
extension RoutingPlan {
    /// Finds the records that a sink was not given since it last got their levels.
    ///
    /// A sink that is new has nothing to explain: its log begins later.
    ///
    /// - Parameters:
    ///   - route: A route of this configuration.
    ///   - earlier: The earlier configurations, oldest first.
    /// - Returns: How many of each level that the sink gets now, and their numbers.
    func exclusion(from route: SinkRoute, after earlier: [RoutingPlan]) -> LevelTally {
        var tally = LevelTally()
        for level in Level.allCases where route.levels.contains(level) {
            guard let last = earlier.lastIndex(where: { $0.gives(level, to: route.name) }),
                last + 1 < earlier.count
            else { continue }
            let before = earlier[last + 1].start(of: level)
            let end = start(of: level)
            guard before < end else { continue }
            tally.add(end - before, of: level, numbers: before + 1...end)
        }
        return tally
    }

    /// Whether the sink of that name gets the level: each configuration makes it anew.
    private func gives(_ level: Level, to name: String) -> Bool {
        isOfThisProcess && routes.contains { $0.name == name && $0.levels.contains(level) }
    }
}
