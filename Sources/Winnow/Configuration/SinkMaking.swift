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
struct SinkMaker {
    private let configuration: ResolvedConfiguration
    private let stderr: StandardErrorFacts
    private(set) var routes: [PlannedRoute] = []
    /// What the code got wrong.
    private(set) var codeProblems: [Winnow.ConfigurationProblem] = []
    /// What the environment got wrong, and the routes are made without; and what to be warned of.
    private(set) var environmentProblems: [Winnow.ConfigurationProblem] = []

    /// Makes all sinks; there is at least one, or a problem of the code's.
    init(_ configuration: ResolvedConfiguration, stderr: StandardErrorFacts) {
        self.configuration = configuration
        self.stderr = stderr
        let configured = configuration.routes
        let wanted =
            configured.isEmpty ? [configuration.defaultRoute(for: stderr)] : configured
        for (index, route) in wanted.enumerated() {
            append(route, levelsOnStderr: wanted.levelsOnStderr)
            warnWhereDoubled(route, in: wanted[..<index])
        }
        // A file that may be opened later is not enough: nobody would see the log until then.
        if routes.allSatisfy({ $0.failure != nil }), codeProblems.isEmpty {
            if routes.count == Topology.maximumRoutes { routes.removeLast() }
            append(configuration.filled(.stderr), levelsOnStderr: .all)
        }
    }

    private mutating func append(_ route: Winnow.Route, levelsOnStderr: LevelSet) {
        do throws(Failure) {
            guard routes.count < Topology.maximumRoutes else {
                throw Failure(reason: "there are more than \(Topology.maximumRoutes) sinks")
            }
            let (sink, failure) = try sink(of: route)
            warn(of: route, failure)
            let fallback = route.isDaemon ? standardError(configuration.filled(.stderr)) : nil
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
                append(error.reason, of: route)
            } else {
                let name = route.description
                codeProblems.append(.init("routes", entry: name, reason: error.reason))
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

    private mutating func append(_ environmentProblem: String, of route: Winnow.Route) {
        let source = route.origin == .environment ? EnvironmentVariable.sinks : "routes"
        environmentProblems.append(
            .init(source, entry: route.description, reason: environmentProblem)
        )
    }

    /// Says what was asked for and should not be, and what is not there yet.
    private mutating func warn(of route: Winnow.Route, _ failure: SinkError?) {
        if let failure {
            let reason = FileFailure.reason(failure)
            append("\(reason); its records wait until it can be", of: route)
        }
        guard case .network(let server) = route.destination, server.transport == .tls,
            !server.identity.isVerified
        else { return }
        append("the certificate of the server is not checked", of: route)
    }

    /// Says that records come to a destination of the code's twice; of those of the environment its
    /// parser has said it.
    private mutating func warnWhereDoubled(
        _ route: Winnow.Route,
        in earlier: ArraySlice<Winnow.Route>
    ) {
        if case .sink = route.destination { return }
        guard route.origin == .code, earlier.contains(where: { $0.isDoubled(by: route) }) else {
            return
        }
        append("it is named twice, and gets records twice", of: route)
    }

    private struct Failure: Error {
        let reason: String
    }

    /// Returns the sink of a route, and why it takes no records yet; nil where it is ready.
    private func sink(of route: Winnow.Route) throws(Failure) -> (any Sink, SinkError?) {
        let facility = route.facility ?? configuration.facility
        let identifier = configuration.identifier
        switch route.destination {
        case .journald:
            return (JournalSink(identifier: identifier, facility: facility), nil)
        case .syslog(let path):
            try check(path)
            let formatter = LocalSyslogFormatter(identifier: identifier, facility: facility)
            return (SyslogSink(path: path, formatter: formatter), nil)
        case .network(let server):
            try check(server, route.network)
            let sink = route.network.sink(to: server, identifier: identifier, facility: facility)
            return (sink, nil)
        case .file(let path):
            return try file(path, of: route)
        case .stderr:
            return (standardError(route), nil)
        case .sink(let sink):
            return (sink, nil)
        }
    }

    private func file(
        _ path: String,
        of route: Winnow.Route
    ) throws(Failure) -> (FileSink, SinkError?) {
        try check(path)
        let rotation = route.rotation
        do throws(FileRotationProblem) {
            try rotation?.check()
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
        if path.isEmpty { throw Failure(reason: "a path is missing") }
        if path.utf8.contains(0) { throw Failure(reason: "a path holds no NUL") }
    }

    /// Refuses what code can say, and the environment cannot.
    private func check(_ server: SyslogServer, _ options: Winnow.NetworkOptions) throws(Failure) {
        guard SinkServer.isHost(server.host) else {
            throw Failure(reason: "invalid host \(quoted(server.host))")
        }
        if server.port == 0 { throw Failure(reason: "invalid port '0'") }
        try check(server.identity)
        let lengths = Winnow.NetworkOptions.messageByteCounts
        guard let byteCount = options.messageByteCount, !lengths.contains(byteCount) else { return }
        throw Failure(
            reason:
                "invalid messageByteCount \(byteCount) (\(lengths.lowerBound) to \(lengths.upperBound))"
        )
    }

    /// Refuses files that are not there, or not regular: a connection would fail for them again and
    /// again.
    private func check(_ identity: SyslogServer.Identity) throws(Failure) {
        let files = [identity.authorities, identity.certificate, identity.key]
        for path in files.compactMap(\.self) {
            try check(path)
            // SAFETY: access(2) reads the path, and keeps no pointer to it.
            let status = unsafe cwinnow_path_is_readable(path)
            guard status < 0 else { continue }
            let text = status == -EINVAL ? "it is no regular file" : systemErrorText(-status)
            throw Failure(reason: "cannot read \(quoted(path)): \(text)")
        }
        guard (identity.certificate == nil) != (identity.key == nil) else { return }
        throw Failure(reason: "a certificate and its key come together")
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
        if let formatter = route.formatter { return prefixed(formatter, isStandardError) }
        switch (route.format ?? configuration.format).kind {
        case .json: return prefixed(JSONFormatter(), isStandardError)
        case .logfmt: return prefixed(LogfmtFormatter(), isStandardError)
        case .pattern(var formatter):
            formatter.identifier = configuration.identifier
            formatter.color = isStandardError && stderr.isColored(route.color)
            return prefixed(formatter, isStandardError)
        // A plan with a pattern that is wrong comes to nothing.
        case .text where !isStandardError, .wrong where !isStandardError: return TextFormatter()
        case .text, .wrong: break
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
    /// Whether the route ends at a daemon of this machine, which may not be there.
    fileprivate var isDaemon: Bool {
        switch destination {
        case .journald, .syslog: true
        case .network, .file, .stderr, .sink: false
        }
    }
}
