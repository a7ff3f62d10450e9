// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// Reads routes as `WINNOW_SINKS` spells them.
///
/// An entry is `name[:path][@levels][?option=value[&option=value…]]`, with `//host:port` in the place
/// of a path for a sink of the network. In a path `%2C`, `%40`, `%3F`
/// and `%25` stand for the characters that end it (`,`, `@`, `?`) and for `%`; so does every other
/// byte in two hexadecimal digits. In a pattern, `?format=pattern:…`, `%2C` and `%26` stand for the
/// characters that end it (`,`, `&`), `%20` for a blank at its end, and `%25` for `%`.
struct SinkListParser: ~Copyable {
    private(set) var routes: [Winnow.Route] = []
    private(set) var problems: [FilterProblem] = []

    /// The destinations by name.
    private static let names =
        ["journald", "syslog", "file", "stderr", "stdout"] + NetworkSyslog.names
    /// What others call a destination, or what is nearest to it here.
    private static let foreign = [
        "console": "stderr", "terminal": "stderr", "tty": "stderr",
        "journal": "journald", "systemd": "journald", "rsyslog": "syslog",
        "udp": "syslog+udp", "tcp": "syslog+tcp", "tls": "syslog+tls",
    ]

    /// Reads all entries of a value.
    mutating func read(_ text: String) {
        for entry in text[...].parts(separatedBy: ",") where !entry.isEmpty {
            do {
                let route = try route(of: entry)
                warnWhereDoubled(route, in: entry)
                routes.append(route)
            } catch {
                problems.append(error)
            }
        }
    }

    /// Says that records come to a destination twice, which may be meant where the levels differ.
    private mutating func warnWhereDoubled(_ route: Winnow.Route, in entry: Substring) {
        let name = route.description
        guard routes.contains(where: { $0.isDoubled(by: route) }) else { return }
        let reason = "\(quoted(name)) is named twice, and gets records twice"
        problems.append(FilterProblem(entry: entry, reason: reason, at: entry))
    }

    /// Returns the route of an entry; throws what leaves no route.
    private mutating func route(of entry: Substring) throws(FilterProblem) -> Winnow.Route {
        try entry.checkText()
        let (head, options) = entry.halves(separatedBy: "?") ?? (entry, nil)
        let (target, levels) = head.halves(separatedBy: "@") ?? (head, nil)
        let destination = try destination(of: target, in: entry)
        var route = Winnow.Route(destination, levels: .all, origin: .environment)
        if let word = levels, let levels = try parsedLevels(word, in: entry) {
            route.levels = levels
            route.saysLevels = word.lowercased() != "all"
        }
        let list = options?.parts(separatedBy: "&") ?? []
        setOptions(list, of: &route, in: entry)
        if let rotation = route.rotation, !rotation.isTriggered {
            route.rotation = nil
            // What is wrong with one that is there has been said.
            guard !list.contains(where: { Self.name(ofOption: $0) == "rotate" }) else {
                return route
            }
            let reason = "an option of rotation without option 'rotate'"
            problems.append(FilterProblem(entry: entry, reason: reason, at: options ?? entry))
        }
        return route
    }

    private static func name(ofOption option: Substring) -> String {
        (option.halves(separatedBy: "=")?.before ?? option).lowercased()
    }

    private mutating func setOptions(
        _ options: [Substring],
        of route: inout Winnow.Route,
        in entry: Substring
    ) {
        var names: Set<String> = []
        for option in options where !option.isEmpty {
            do {
                try checkLevels(behind: option, in: entry)
                try SinkOption.set(option, of: &route, in: entry)
                let name = Self.name(ofOption: option)
                guard !names.insert(name).inserted else { continue }
                let reason = "option \(quoted(name)) comes twice, and this one applies"
                problems.append(FilterProblem(entry: entry, reason: reason, at: option))
            } catch {
                problems.append(error)
            }
        }
    }

    /// Refuses an option with the levels of the sink behind it, as `format=json@info`.
    private func checkLevels(behind option: Substring, in entry: Substring) throws(FilterProblem) {
        guard let at = option.utf8.lastIndex(of: UInt8(ascii: "@")) else { return }
        let word = option[option.utf8.index(after: at)...]
        guard case .success = LevelSet.parse(word, in: entry) else { return }
        let reason = "the levels, \(quoted("@\(word)")), stand before the '?'"
        throw FilterProblem(entry: entry, reason: reason, at: option[at...])
    }

    /// Returns the levels; nil where they are wrong, and the route takes what the filter lets
    /// through.
    private mutating func parsedLevels(
        _ word: Substring,
        in entry: Substring
    ) throws(FilterProblem) -> LevelSet? {
        switch LevelSet.parse(word, in: entry) {
        case .success(let levels):
            return levels
        case .failure where word.utf8.contains(UInt8(ascii: "/")):
            // The rest of a path: to log to the path's beginning would be a surprise.
            let reason = "no levels after '@', which in a path is written '%40'"
            throw FilterProblem(entry: entry, reason: reason, at: word)
        case .failure(let problem):
            problems.append(problem)
            return nil
        }
    }

    private mutating func destination(
        of target: Substring,
        in entry: Substring
    ) throws(FilterProblem) -> Winnow.Route.Destination {
        let (name, path) = target.halves(separatedBy: ":") ?? (target, nil)
        switch name.lowercased() {
        case "journald", "stderr", "stdout":
            if let path {
                let reason = "\(quoted(name)) takes no path"
                problems.append(FilterProblem(entry: entry, reason: reason, at: path))
            }
            let stream = StandardStream(rawValue: name.lowercased())
            return stream.map { .stream($0) } ?? .journald
        case "syslog":
            guard let path, !path.isEmpty else {
                return .syslog(path: Winnow.Route.defaultSyslogPath)
            }
            // No path of a socket, but the way that others write a server; a third '/' begins a path.
            guard !path.hasPrefix("//") || path.hasPrefix("///") else {
                let reason = "the transport to the server is missing: udp, tcp or tls"
                let meant = "syslog+udp:\(path)"
                throw FilterProblem(entry: entry, reason: reason, at: name, suggestion: meant)
            }
            return .syslog(path: try PercentEscapes.decoded(path, as: "a path", in: entry))
        case "file":
            guard let path, !path.isEmpty else {
                throw FilterProblem(entry: entry, reason: "a path is missing", at: path ?? name)
            }
            return .file(path: try PercentEscapes.decoded(path, as: "a path", in: entry))
        case let network:
            guard let server = try NetworkSyslog.destination(network, at: path, in: entry) else {
                throw noSink(name, in: entry)
            }
            return .network(server)
        }
    }

    private func noSink(_ name: Substring, in entry: Substring) -> FilterProblem {
        if name.contains(where: { "{}".contains($0) }) {
            // The rest of a pattern, whose beginning may be a right one.
            let reason = "unknown sink \(quoted(name)): a ',' in a pattern is written '%2C'"
            return FilterProblem(entry: entry, reason: reason, at: name)
        }
        if name.contains(where: { "; ".contains($0) }) {
            let reason = "unknown sink \(quoted(name)): entries are separated by ','"
            return FilterProblem(entry: entry, reason: reason, at: name)
        }
        if let option = name.halves(separatedBy: "=")?.before,
            SinkOption.isName(option)
        {
            let reason = "unknown sink \(quoted(name)): the options of a sink are joined by '&'"
            return FilterProblem(entry: entry, reason: reason, at: name)
        }
        if name.asksForNothing {
            let reason =
                "\(quoted(name)) is no sink: to log nothing, set \(EnvironmentVariable.log)=off"
            return FilterProblem(entry: entry, reason: reason, at: name)
        }
        let isPath = name.hasPrefix("/") || name.hasPrefix("./") || name.hasPrefix("~")
        let suggestion =
            isPath
            ? "file:\(name)"
            : SinkListParser.foreign[name.lowercased()]
                ?? Suggestion.nearest(to: name, among: SinkListParser.names)
        let choices = suggestion == nil ? " (\(SinkListParser.names.joined(separator: ", ")))" : ""
        return FilterProblem(
            entry: entry,
            reason: name.isEmpty ? "a sink is missing" : "unknown sink \(quoted(name))\(choices)",
            at: name,
            suggestion: suggestion
        )
    }
}
