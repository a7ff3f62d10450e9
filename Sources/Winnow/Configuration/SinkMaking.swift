// SPDX-License-Identifier: Apache-2.0

package import WinnowCore
internal import WinnowFormatters
internal import WinnowSinks

/// A route that is ready: its sink, and what takes over where the sink is not there.
package struct PlannedRoute: Sendable {
    /// The destination as `WINNOW_SINKS` names it.
    package let name: String
    package let sink: any Sink
    /// The levels that the route lets through.
    package let levels: LevelSet
    /// What takes the records while the sink's destination is not there.
    ///
    /// No other route has the same object, so that nothing is called concurrently.
    package let fallback: (any Sink)?
    /// Whether another route brings the same records there anyway.
    package let isCovered: Bool
}

/// Makes the sinks of a configuration.
struct SinkMaker {
    private let configuration: ResolvedConfiguration
    private let stderr: StandardErrorFacts
    private(set) var routes: [PlannedRoute] = []
    /// What the code got wrong.
    private(set) var codeProblems: [Winnow.ConfigurationProblem] = []
    /// What the environment got wrong; the routes are made without it.
    private(set) var environmentProblems: [Winnow.ConfigurationProblem] = []

    /// Makes all sinks; there is at least one, or a problem of the code's.
    init(_ configuration: ResolvedConfiguration, stderr: StandardErrorFacts) {
        self.configuration = configuration
        self.stderr = stderr
        let configured = configuration.routes
        let wanted =
            configured.isEmpty ? [configuration.defaultRoute(for: stderr)] : configured
        for route in wanted {
            append(route, levelsOnStderr: wanted.levelsOnStderr)
        }
        if routes.isEmpty, codeProblems.isEmpty {
            append(configuration.filled(.stderr), levelsOnStderr: .all)
        }
    }

    private mutating func append(_ route: Winnow.Route, levelsOnStderr: LevelSet) {
        do {
            let sink = try sink(of: route)
            let fallback = route.isDaemon ? standardError(configuration.filled(.stderr)) : nil
            routes.append(
                PlannedRoute(
                    name: route.description,
                    sink: sink,
                    levels: route.levels,
                    fallback: fallback,
                    isCovered: levelsOnStderr.isSuperset(of: route.levels)
                )
            )
        } catch {
            let name = route.description
            if route.origin == .environment {
                let source = EnvironmentVariable.sinks
                environmentProblems.append(.init(source, entry: name, reason: error.reason))
            } else {
                codeProblems.append(.init("routes", entry: name, reason: error.reason))
            }
        }
    }

    private struct Failure: Error {
        let reason: String
    }

    private func sink(of route: Winnow.Route) throws(Failure) -> any Sink {
        let facility = route.facility ?? configuration.facility
        switch route.destination {
        case .journald:
            return JournalSink(identifier: configuration.identifier, facility: facility)
        case .syslog(let path):
            try check(path)
            let formatter = LocalSyslogFormatter(
                identifier: configuration.identifier,
                facility: facility
            )
            return SyslogSink(path: path, formatter: formatter)
        case .file(let path):
            try check(path)
            do {
                return try FileSink(path: path, formatter: formatter(of: route))
            } catch {
                throw Failure(reason: FileFailure.reason(error))
            }
        case .stderr:
            return standardError(route)
        case .sink(let sink):
            return sink
        }
    }

    /// Refuses what C would read as another path.
    private func check(_ path: String) throws(Failure) {
        if path.isEmpty { throw Failure(reason: "a path is missing") }
        if path.utf8.contains(0) { throw Failure(reason: "a path holds no NUL") }
    }

    private func standardError(_ route: Winnow.Route) -> any Sink {
        StreamSink(descriptor: 2, formatter: formatter(of: route))
    }

    /// The formatter, with levels in front of its lines where the journal reads them.
    private func prefixed(_ formatter: any Formatter, _ isStandardError: Bool) -> any Formatter {
        isStandardError && stderr.isJournal ? LevelPrefixFormatter(formatter) : formatter
    }

    private func formatter(of route: Winnow.Route) -> any Formatter {
        var isStandardError = false
        if case .stderr = route.destination { isStandardError = true }
        switch (route.format ?? configuration.format).kind {
        case .json: return prefixed(JSONFormatter(), isStandardError)
        case .logfmt: return prefixed(LogfmtFormatter(), isStandardError)
        case .text where !isStandardError: return TextFormatter()
        case .text: break
        }
        return TextFormatter(
            // Who reads a terminal sits beside a clock that shows local time.
            time: stderr.isTerminal ? .local : .utc,
            color: stderr.isColored(route.color),
            levelPrefix: stderr.isJournal
        )
    }
}

extension [Winnow.Route] {
    /// The levels that some route lets through to stderr.
    fileprivate var levelsOnStderr: LevelSet {
        reduce(into: LevelSet()) { levels, route in
            if case .stderr = route.destination { levels.formUnion(route.levels) }
        }
    }
}

extension Winnow.Route {
    /// Whether the route ends at a daemon, which may not be there.
    fileprivate var isDaemon: Bool {
        switch destination {
        case .journald, .syslog: true
        case .file, .stderr, .sink: false
        }
    }
}
