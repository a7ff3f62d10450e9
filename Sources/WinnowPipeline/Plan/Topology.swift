// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
package import WinnowCore

/// A configuration of the pipeline: it never changes once it is used, and a new one takes its place.
package final class Topology: NumberSpan, @unchecked Sendable {
    // SAFETY: everything is constant once it is used, except `isOfThisProcess`, which the child of a fork sets
    // while it has one thread.
    /// The most routes that a configuration may have.
    package static let maximumRoutes = 62

    let routes: [Route]
    /// The routes, as a record goes along them.
    let stops: RouteStops
    /// The levels that at least one route takes.
    let levels: LevelSet
    let privacy: PrivacyPolicy
    let delivery: DeliveryMode
    /// The levels that the filter lets through, by category.
    private let filter: @Sendable (String) -> LevelSet
    /// Whether its numbers are those of this process, and not of its parent.
    var isOfThisProcess = true

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - routes: The routes, at most ``maximumRoutes``: who configures says so where there are more.
    ///   - privacy: What becomes of private values.
    ///   - delivery: Who brings the records to the sinks.
    ///   - filter: The levels that are accepted, by category.
    package init(
        routes: [Route],
        privacy: PrivacyPolicy,
        delivery: DeliveryMode = .immediate,
        filter: @escaping @Sendable (String) -> LevelSet
    ) {
        self.routes = Array(routes.prefix(Self.maximumRoutes))
        Self.mark(self.routes)
        for route in self.routes {
            route.isAlone = self.routes.count { $0.outlet === route.outlet } == 1
            route.privacy = privacy
            if case .deferred = delivery { route.account.isHandedOver = route.isForeign }
        }
        stops = RouteStops(self.routes)
        levels = self.routes.reduce(into: LevelSet()) { $0.formUnion($1.levels) }
        self.privacy = privacy
        self.delivery = delivery
        self.filter = filter
        super.init()
        for route in self.routes { route.account.span = self }
    }

    /// Marks each route by its sink: routes that share one share the mark.
    ///
    /// A sink keeps its mark, and one that is new gets another one than those of the last configurations: a
    /// thread may be inside a sink of these when it logs a record that this configuration takes.
    private static func mark(_ routes: [Route]) {
        var owners: [UInt64: Outlet] = [:]
        for outlet in routes.map(\.outlet) where outlet.mark != 0 {
            owners[outlet.mark] = owners[outlet.mark] ?? outlet
        }
        for outlet in routes.map(\.outlet) {
            while outlet.mark == 0 || owners[outlet.mark] !== outlet {
                let mark =
                    1 &<< (markCount.add(1, ordering: .relaxed).oldValue % UInt64(maximumRoutes))
                if owners[mark] != nil { continue }
                owners[mark] = outlet
                outlet.mark = mark
            }
        }
    }

    /// Counts the marks that were given.
    private static let markCount = Atomic<UInt64>(0)

    /// Whether a route leads to a sink, or has it as its fallback.
    func leads(to outlet: Outlet) -> Bool {
        routes.contains { $0.outlets.contains { $0 === outlet } }
    }

    /// Has each sink whose worker still has records of an earlier configuration for it get those of this
    /// one from there too, after them: before it is used.
    func handOver(after old: Topology) {
        for route in routes where old.handsOver(to: route.outlet) {
            route.account.isHandedOver = true
        }
    }

    /// Ends that if records are delivered immediately, as nothing of the earlier one waits any more.
    func endHandingOver() {
        guard case .immediate = delivery else { return }
        for route in routes { route.account.isHandedOver = false }
    }

    private func handsOver(to outlet: Outlet) -> Bool {
        routes.contains { $0.outlet === outlet && $0.account.isHandedOver }
    }

    /// The mask of a category: what the filter and at least one route let through.
    func mask(of category: String) -> UInt32 {
        mask(of: category, filter: filter)
    }

    /// The same by another filter.
    func mask(of category: String, filter: (String) -> LevelSet) -> UInt32 {
        UInt32(filter(category).intersection(levels).rawValue)
    }
}
