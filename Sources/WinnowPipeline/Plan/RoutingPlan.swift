// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
package import WinnowCore

/// A configuration of the pipeline: it never changes once it is used, and a new one takes its place.
package final class RoutingPlan: NumberSpan, @unchecked Sendable {
    // SAFETY: everything is constant once it is used, except `isOfThisProcess`, which the child of a fork sets
    // while it has one thread.
    /// The most routes that a configuration may have.
    package static let maximumRoutes = 62

    let routes: [SinkRoute]
    /// The routes, as a record goes along them.
    let table: RouteTable
    /// The levels that at least one route takes.
    let levels: LevelSet
    let privacy: PrivacyPolicy
    let delivery: DeliveryMode
    /// The filter of the program.
    let filter: Filter
    /// Whether this process has given its numbers, and not the parent.
    var isOfThisProcess = true

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - routes: The routes, at most ``maximumRoutes``: who configures says so where there are more.
    ///   - privacy: What becomes of private values.
    ///   - delivery: Who brings the records to the sinks.
    ///   - filter: The filter of the program.
    package init(
        routes: [SinkRoute],
        privacy: PrivacyPolicy,
        delivery: DeliveryMode = .immediate,
        filter: Filter = "debug"
    ) {
        self.routes = Array(routes.prefix(Self.maximumRoutes))
        Self.giveBits(to: self.routes.map(\.slot))
        for route in self.routes {
            route.isAlone = self.routes.count { $0.slot === route.slot } == 1
            route.privacy = privacy
            if case .deferred = delivery { route.account.isHandedOver = route.isForeign }
        }
        table = RouteTable(self.routes)
        levels = self.routes.reduce(into: LevelSet()) { $0.formUnion($1.levels) }
        self.privacy = privacy
        self.delivery = delivery
        self.filter = filter
        super.init()
        for route in self.routes { route.account.span = self }
        if Recorder.isOn { self.routes.forEach { $0.account.update { $0.queue.reserve() } } }
    }

    /// Gives each sink a bit that stands for it.
    ///
    /// A sink keeps its bit, and a new one gets none that a sink of the last configurations has: a thread may be
    /// inside such a sink when it logs a record that this configuration takes.
    private static func giveBits(to slots: [SinkSlot]) {
        var owners: [SinkSlot] = []
        for slot in slots where slot.bit != 0 && !owners.contains(where: { $0.bit == slot.bit }) {
            owners.append(slot)
        }
        for slot in slots where !owners.contains(where: { $0 === slot }) {
            repeat {
                slot.bit =
                    1 &<< (bitCount.add(1, ordering: .relaxed).oldValue % UInt64(maximumRoutes))
            } while owners.contains { $0.bit == slot.bit }
            owners.append(slot)
        }
    }

    /// Counts the bits that were given.
    private static let bitCount = Atomic<UInt64>(0)

    /// Whether a route leads to a sink, or has it as its fallback.
    func leads(to slot: SinkSlot) -> Bool {
        routes.contains { $0.slots.contains { $0 === slot } }
    }

    /// Has the worker of a sink deliver the records of this configuration as well, after records of an earlier one
    /// that it still has: before this one is used.
    func handOver(after old: RoutingPlan) {
        for route in routes where old.handsOver(to: route.slot) {
            route.account.isHandedOver = true
        }
    }

    /// Lets log calls call the program's own sinks, if records are delivered immediately: when nothing of the
    /// earlier configuration waits any more.
    func endHandingOver() {
        guard case .immediate = delivery else { return }
        for route in routes { route.account.isHandedOver = false }
    }

    private func handsOver(to slot: SinkSlot) -> Bool {
        routes.contains { $0.slot === slot && $0.account.isHandedOver }
    }
}
