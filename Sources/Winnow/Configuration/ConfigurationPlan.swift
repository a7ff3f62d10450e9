// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// All that is decided and opened before the log of a process starts.
package struct ConfigurationPlan: Sendable {
    /// What applies.
    package let configuration: ResolvedConfiguration
    /// The routes, at least one.
    package let routes: [PlannedRoute]
    /// What the environment got wrong and the plan does without, to be reported once.
    package let problems: [Winnow.ConfigurationProblem]

    /// What the code got wrong; the plan is of no use then.
    private let codeProblems: [Winnow.ConfigurationProblem]

    /// Plans a start that the code asked for.
    ///
    /// - Parameters:
    ///   - configuration: The code's configuration.
    ///   - environment: The environment.
    ///   - program: The name of the program's file.
    ///   - streams: What is known of the standard streams.
    /// - Throws: All that the code got wrong, at once.
    package init(
        _ configuration: Winnow.Configuration,
        in environment: Environment,
        program: String,
        streams: StandardStreams
    ) throws(Winnow.ConfigurationError) {
        self.init(planning: configuration, in: environment, program: program, streams: streams)
        guard codeProblems.isEmpty else { throw Winnow.ConfigurationError(codeProblems) }
    }

    /// Plans a start of this process that the code asked for.
    package static func ofProcess(
        _ configuration: Winnow.Configuration
    ) throws(Winnow.ConfigurationError) -> ConfigurationPlan {
        let environment = Environment.ofProcess()
        return try ConfigurationPlan(
            configuration,
            in: environment,
            program: programName,
            streams: StandardStreams(of: environment)
        )
    }

    /// Plans a start of this process that nobody asked for: by its first record.
    package static func ofProcess() -> ConfigurationPlan {
        let environment = Environment.ofProcess()
        return ConfigurationPlan(
            planning: Winnow.Configuration(),
            in: environment,
            program: programName,
            streams: StandardStreams(of: environment)
        )
    }

    private init(
        planning configuration: Winnow.Configuration,
        in environment: Environment,
        program: String,
        streams: StandardStreams
    ) {
        let (resolved, environmentProblems) = ResolvedConfiguration.resolve(
            configuration,
            in: environment,
            program: program
        )
        let sinks = SinkMaker(resolved, streams: streams)
        self.configuration = resolved
        routes = sinks.routes
        problems = environmentProblems + sinks.environmentProblems
        codeProblems =
            configuration.identifierProblems
            + configuration.filter.problems.map { .init("filter", $0) }
            + configuration.delivery.problems + (configuration.recorder?.problems ?? [])
            + configuration.formatProblems + sinks.codeProblems
    }

    private static var programName: String {
        // SAFETY: the name lives as long as the process, and is terminated.
        unsafe String(cString: cwinnow_system_program())
    }
}
