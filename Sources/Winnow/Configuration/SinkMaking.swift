// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
package import WinnowCore
internal import WinnowFormatters
internal import WinnowPipeline
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
    /// Why the sink takes no records yet; nil where it is ready.
    package let failure: SinkError?
}

/// Makes the sinks of a configuration.
struct SinkMaker: ~Copyable {
    private let configuration: ResolvedConfiguration
    private let streams: StandardStreams
    private(set) var routes: [PlannedRoute] = []
    /// What the code got wrong.
    private(set) var codeProblems: [Winnow.ConfigurationProblem] = []
    /// Mistakes of the environment, which the routes are made without, and what to warn of.
    private(set) var environmentProblems: [Winnow.ConfigurationProblem] = []

    /// Makes all sinks; there is at least one, or a problem of the code's.
    init(_ configuration: ResolvedConfiguration, streams: StandardStreams) {
        self.configuration = configuration
        self.streams = streams
        let configured = configuration.routes
        let wanted =
            configured.isEmpty ? [configuration.defaultRoute(for: streams.stderr)] : configured
        for (index, route) in wanted.enumerated() {
            append(route, levelsOnStderr: levelsOnStderr(of: wanted))
            warnWhereDoubled(route, in: wanted[..<index])
        }
        // A file that may be opened later is not enough: nobody would see the log until then.
        if routes.allSatisfy({ $0.failure != nil }), codeProblems.isEmpty {
            if routes.count == RoutingPlan.maximumRoutes { routes.removeLast() }
            append(configuration.filled(.stream(.stderr)), levelsOnStderr: .all)
        }
    }

    private mutating func append(_ route: Winnow.Route, levelsOnStderr: LevelSet) {
        do throws(Failure) {
            guard routes.count < RoutingPlan.maximumRoutes else {
                throw Failure(reason: "there are more than \(RoutingPlan.maximumRoutes) sinks")
            }
            let (sink, failure) = try sink(of: route)
            warn(of: route, failure)
            let fallback = route.isDaemon && route.mayFallBack ? fallback : nil
            routes.append(
                PlannedRoute(
                    name: uniqueName(of: route),
                    sink: sink,
                    levels: route.levels,
                    fallback: fallback,
                    isCovered: levelsOnStderr.isSuperset(of: route.levels),
                    failure: failure
                )
            )
        } catch {
            if route.origin == .environment {
                append(error.reason, suggestion: error.suggestion, of: route)
            } else {
                codeProblems.append(
                    .init(
                        "routes",
                        entry: route.description,
                        reason: error.reason,
                        suggestion: error.suggestion
                    )
                )
            }
        }
    }

    /// The name of a route, which no route to another log has: what is reported of one log must not be
    /// taken for what was lost in another.
    private func uniqueName(of route: Winnow.Route) -> String {
        let name = route.description
        let names = Set(routes.map(\.name))
        guard case .sink = route.destination, names.contains(name) else { return name }
        var number = 2
        while names.contains("\(name)#\(number)") { number += 1 }
        return "\(name)#\(number)"
    }

    private mutating func append(
        _ environmentProblem: String,
        suggestion: String? = nil,
        of route: Winnow.Route
    ) {
        let source = route.origin == .environment ? EnvironmentVariable.sinks : "routes"
        environmentProblems.append(
            .init(
                source,
                entry: route.description,
                reason: environmentProblem,
                suggestion: suggestion
            )
        )
    }

    /// Says what was asked for and should not be, and what is not there yet.
    private mutating func warn(of route: Winnow.Route, _ failure: SinkError?) {
        if let failure {
            let reason = FileFailure.reason(failure)
            append("\(reason); its records wait until it can be", of: route)
        }
        guard case .network(let server) = route.destination, let warning = server.warning else {
            return
        }
        append(warning, of: route)
    }

    /// Says that records come to a destination twice; of those that the environment names twice, its
    /// parser has said it.
    private mutating func warnWhereDoubled(
        _ route: Winnow.Route,
        in earlier: ArraySlice<Winnow.Route>
    ) {
        if case .sink = route.destination { return }
        if let other = earlier.first(where: { leadToOnePlace($0, route) }) {
            return append("it leads where '\(other)' does, which gets records twice", of: route)
        }
        guard route.origin == .code, earlier.contains(where: { $0.isDoubled(by: route) }) else {
            return
        }
        append("it is named twice, and gets records twice", of: route)
    }

    /// Whether the routes are the two streams, in one place as behind `2>&1`, with some of their levels.
    private func leadToOnePlace(_ one: Winnow.Route, _ other: Winnow.Route) -> Bool {
        guard let first = one.stream, let second = other.stream, first != second else {
            return false
        }
        return streams.leads(first, whereDoes: second) && !one.levels.isDisjoint(with: other.levels)
    }

    private struct Failure: Error {
        let reason: String
        var suggestion: String?
    }

    /// Returns the sink of a route, and why it takes no records yet; nil where it is ready.
    private func sink(of route: Winnow.Route) throws(Failure) -> (any Sink, SinkError?) {
        let facility = route.facility ?? configuration.facility
        let identifier = configuration.identifier
        let byteCount = route.recordByteCount
        if let byteCount, byteCount < BoundedFormatter.leastByteCount {
            throw Failure(reason: "invalid recordByteCount \(byteCount) (from 1024)")
        }
        switch route.destination {
        case .journald:
            let sink = JournalSink(
                identifier: identifier,
                facility: facility,
                byteCount: byteCount ?? JournalSink.storedByteCount
            )
            return (sink, nil)
        case .syslog(let path):
            try check(path)
            let formatter = LocalSyslogFormatter(identifier: identifier, facility: facility)
            return (SyslogSink(path: path, formatter: bounded(formatter, of: route)), nil)
        case .network(let server):
            if let problem = server.problem { throw Failure(reason: problem) }
            return (server.sink(identifier: identifier, facility: facility), nil)
        case .file(let path):
            return try file(path, of: route)
        case .stream(let stream):
            return (sink(on: stream, of: route), nil)
        case .sink(let sink):
            return (sink, nil)
        }
    }

    private func file(
        _ path: String,
        of route: Winnow.Route
    ) throws(Failure) -> (FileSink, SinkError?) {
        try check(path)
        // Where it is missing, a file would take its place, and keep its daemon from making it.
        if let suggestion = FileFailure.suggestion(for: path, in: route.origin) {
            throw Failure(reason: "is not a regular file", suggestion: suggestion)
        }
        let rotation = route.rotation
        do throws(FileRotationProblem) {
            try rotation?.check(for: path)
        } catch {
            throw Failure(reason: error.reason)
        }
        let formatter = formatter(of: route)
        do throws(SinkError) {
            return (try FileSink(path: path, formatter: formatter, rotation: rotation), nil)
        } catch {
            // Code is told by what the start throws, and may make the folder; an environment cannot.
            guard route.origin == .environment, FileFailure.mayPass(error) else {
                throw Failure(reason: FileFailure.reason(error))
            }
            let sink = FileSink(notYetAt: path, formatter: formatter, rotation: rotation)
            return (sink, error)
        }
    }

    /// Refuses what C would read as another path.
    private func check(_ path: String) throws(Failure) {
        if let problem = PathProblem.of(path) { throw Failure(reason: problem) }
    }

    /// The sink for what another one does not take: stderr, where somebody sees it.
    private var fallback: any Sink {
        sink(on: .stderr, of: configuration.filled(.stream(.stderr)))
    }

    private func sink(on stream: StandardStream, of route: Winnow.Route) -> any Sink {
        StreamSink(descriptor: stream.descriptor, formatter: formatter(of: route))
    }

    /// The formatter, with levels in front of its lines where the journal reads them.
    private func prefixed(_ formatter: any Formatter, _ facts: StreamFacts) -> any Formatter {
        facts.isJournal ? LevelPrefixFormatter(formatter) : formatter
    }

    /// The formatter, with its records cut where the route says so.
    private func bounded(_ formatter: any Formatter, of route: Winnow.Route) -> any Formatter {
        guard let byteCount = route.recordByteCount else { return formatter }
        return BoundedFormatter(formatter, byteCount: byteCount)
    }

    private func formatter(of route: Winnow.Route) -> any Formatter {
        bounded(unboundedFormatter(of: route), of: route)
    }

    private func unboundedFormatter(of route: Winnow.Route) -> any Formatter {
        // A file is no stream: nothing is known of it.
        let facts = route.stream.map { streams[$0] } ?? StreamFacts()
        if let formatter = route.formatter { return prefixed(formatter, facts) }
        let isColored = route.stream != nil && facts.isColored(route.color)
        switch (route.format ?? configuration.format).kind {
        case .json: return prefixed(JSONFormatter(), facts)
        case .logfmt: return prefixed(LogfmtFormatter(), facts)
        case .pattern(var formatter):
            formatter.identifier = configuration.identifier
            formatter.color = isColored
            return prefixed(formatter, facts)
        // A plan with a pattern that is wrong comes to nothing.
        case .text, .wrong:
            return TextFormatter(
                // Who reads a terminal sits beside a clock that shows local time.
                time: facts.isTerminal ? .local : .utc,
                color: isColored,
                levelPrefix: facts.isJournal
            )
        }
    }

    /// The levels that some route brings to where stderr leads.
    private func levelsOnStderr(of routes: [Winnow.Route]) -> LevelSet {
        routes.reduce(into: LevelSet()) { levels, route in
            guard let stream = route.stream, streams.leads(stream, whereDoes: .stderr) else {
                return
            }
            levels.formUnion(route.levels)
        }
    }
}

extension Winnow.Route {
    /// The stream of the process that the route leads to; nil for any other destination.
    fileprivate var stream: StandardStream? {
        if case .stream(let stream) = destination { stream } else { nil }
    }

    /// Whether the route ends at a daemon of this machine, which may not be there.
    fileprivate var isDaemon: Bool {
        switch destination {
        case .journald, .syslog: true
        case .network, .file, .stream, .sink: false
        }
    }
}
