// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore
internal import WinnowPipeline

/// A configuration whose sinks are open, ready to take the place of the present one.
struct Launch {
    private let plan: ConfigurationPlan
    /// What has been reported already: a program that starts twice reads the same environment.
    private nonisolated(unsafe) static var reported: Set<String> = []
    /// The recorder that the first start was to begin.
    private nonisolated(unsafe) static var recorder: Winnow.Recorder?

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
        let isFirst = !Pipeline.isRunning
        let problem = (isFirst ? beginRecording() : recorderProblem) ?? privacyProblem
        Pipeline.install(
            RoutingPlan(
                routes: routes,
                privacy: privacy,
                delivery: plan.configuration.delivery.mode,
                filter: filter
            )
        )
        showControlPage()
        // SAFETY: the lock of `Startup` is held.
        let problems = (plan.problems.map(\.description) + (problem.map { [$0] } ?? [])).filter {
            unsafe Launch.reported.insert($0).inserted
        }
        problems.forEach { News.announce($0, level: .warning) }
        RedirectEnvironment.adopt(plan.configuration.redirect)
        if isFirst, let recorder = plan.configuration.recorder {
            let identifier = plan.configuration.identifier
            let begin: @Sendable () -> Void = {
                Recovery.begin(in: recorder.folder, of: identifier)
            }
            unsafe Recorder.whenBegunInChild = begin
            begin()
        }
    }

    /// Begins to record, if that is wanted; returns why the process does not.
    private func beginRecording() -> String? {
        guard let recorder = plan.configuration.recorder else { return nil }
        guard Recovery.isBuilt else {
            return "the recorder: this build has none, which needs the trait Recorder of Winnow"
        }
        // SAFETY: the lock of `Startup` is held.
        unsafe Launch.recorder = recorder
        return Recorder.begin(
            Recorder.Settings(
                folder: recorder.folder,
                byteCount: UInt64(recorder.byteCount),
                identifier: plan.configuration.identifier
            )
        ).map { "the recorder does not record: \($0)" }
    }

    /// What is wrong with values that are to be shown.
    private var privacyProblem: String? {
        guard plan.configuration.privacy != privacy else { return nil }
        return "\(EnvironmentVariable.privacy): 'show' has no effect while the process records: "
            + "no private value is to come into the recorder's file"
    }

    /// How private values are written: where the process records, none is shown.
    private var privacy: PrivacyPolicy {
        let wanted = plan.configuration.privacy
        return Recorder.isOn && wanted == .show ? .redact : wanted
    }

    /// What is wrong with a recorder that comes when the log runs.
    private var recorderProblem: String? {
        // SAFETY: the lock of `Startup` is held.
        guard unsafe Launch.recorder != plan.configuration.recorder else { return nil }
        return "the recorder begins with the first start of the log, and stays as it was"
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
