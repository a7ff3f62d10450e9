// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore
internal import WinnowPipeline

/// A configuration whose sinks are open, ready to take the place of the present one.
struct Launch {
    private let plan: ConfigurationPlan
    /// What has been reported already: a program that starts twice reads the same environment.
    private nonisolated(unsafe) static var reported: Set<String> = []

    /// Opens the sinks of a plan.
    init(_ plan: ConfigurationPlan) {
        self.plan = plan
    }

    /// The levels that each category lets through.
    var filter: Filter { plan.configuration.filter }

    /// Puts the configuration in place, and reports what of the environment was not understood.
    ///
    /// One thread at a time: see ``Startup``.
    func run() {
        Pipeline.setCatchesSignals(plan.configuration.signals == .caught)
        Pipeline.install(
            RoutingPlan(
                routes: routes,
                privacy: plan.configuration.privacy,
                delivery: plan.configuration.delivery.mode,
                filter: filter
            )
        )
        showControlPage()
        // SAFETY: the lock of `Startup` is held.
        let problems = plan.problems.map(\.description).filter {
            unsafe Launch.reported.insert($0).inserted
        }
        problems.forEach { News.announce($0, level: .warning) }
        RedirectEnvironment.adopt(plan.configuration.redirect)
    }

    /// Shows others what they may see: with the masks that apply.
    private func showControlPage() {
        let configuration = plan.configuration
        guard configuration.control != .off else { return ControlPage.close() }
        ControlPage.open(
            identifier: configuration.identifier,
            floor: Level.staticMaximum,
            isReadOnly: configuration.control == .read
        )
        ControlPage.show(filter)
    }

    /// The routes; those that share a sink share its lock.
    private var routes: [SinkRoute] {
        plan.routes.map { planned in
            let route = SinkRoute(
                name: planned.name,
                slot: .shared(by: planned.sink),
                levels: planned.levels,
                fallback: planned.fallback.map(SinkSlot.shared(by:)),
                isCovered: planned.isCovered
            )
            if let failure = planned.failure { route.note(failure) }
            return route
        }
    }
}
