// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore
internal import WinnowFormatters
internal import WinnowSinks

/// An option in an entry of `WINNOW_SINKS`.
enum SinkOption: String {
    case format, color, facility, size
    /// The options of ``FileRotation``.
    case rotate, keep, names, compress, link
    /// The options of a server.
    case enterprise, framing, ca, cert, key, insecure

    /// Sets an option of a route: `format=json`.
    static func set(
        _ option: Substring,
        of route: inout Winnow.Route,
        in entry: Substring
    ) throws(FilterProblem) {
        guard let (name, value) = option.halves(separatedBy: "=") else {
            let reason = "option \(quoted(option)) has no value"
            throw FilterProblem(entry: entry, reason: reason, at: option)
        }
        let known = options(of: route.destination)
        guard let option = known.first(where: { $0.rawValue == name.lowercased() }) else {
            throw noOption(name, of: route.destination, in: entry)
        }
        switch option {
        case .format:
            route.format = try FormatWord.format(ofOption: value, in: entry)
        case .color:
            route.color = try option.value(value, in: entry) { Winnow.Color(parsing: $0) }
        case .facility:
            route.facility = try option.value(value, in: entry) { Facility(parsing: $0) }
        case .rotate, .keep, .names, .compress, .link:
            route.rotation = try option.value(value, in: entry) {
                option.rotation(of: route, with: $0)
            }
        case .enterprise:
            route.network.enterprise = try option.value(value, in: entry) {
                Winnow.NetworkOptions.enterprise(parsing: $0)
            }
        case .size:
            try option.setSize(value, of: &route, in: entry)
        case .framing, .ca, .cert, .key, .insecure:
            try option.setServer(value, of: &route, in: entry)
        }
    }

    private static func options(of destination: Winnow.Route.Destination) -> [SinkOption] {
        switch destination {
        case .sink: []
        case .journald: [.size]
        case .syslog: [.facility, .size]
        case .network(let server) where server.transport == .tls:
            [.facility, .enterprise, .size, .framing, .ca, .cert, .key, .insecure]
        case .network(let server) where server.transport == .tcp:
            [.facility, .enterprise, .size, .framing]
        case .network: [.facility, .enterprise, .size]
        case .file: [.format, .size, .rotate, .keep, .names, .compress, .link]
        case .stream: [.format, .size, .color]
        }
    }

    /// The words among which a value is, for the suggestion.
    private var values: [String] {
        switch self {
        case .color: Winnow.Color.names
        case .facility: Facility.names
        case .rotate: FileRotation.triggerNames
        case .names: FileRotation.namingNames
        case .compress: FileRotation.compressionNames
        case .insecure: ["yes", "no"]
        case .framing: ["octets", "lf"]
        case .format, .keep, .link, .enterprise, .size, .ca, .cert, .key: []
        }
    }

    /// What a value may be; nil where there are too many words for it.
    private var allowed: String? {
        switch self {
        case .rotate: FileRotation.allowedTriggers
        case .keep: FileRotation.allowedKept
        case .facility: Facility.choices
        case .link: "a name in the folder of the file, but none of the log's own files"
        case .enterprise: "1 to \(UInt32.max)"
        case .size: "bytes as 16K, from 1K"
        default: EnvironmentReader.choices(values)
        }
    }

    /// Returns the value of a word.
    private func value<Value>(
        _ word: Substring,
        in entry: Substring,
        among choices: String? = nil,
        parse: (Substring) -> Value?
    ) throws(FilterProblem) -> Value {
        if let value = parse(word) { return value }
        let suggestion = Suggestion.nearest(to: word, among: values)
        let choices = suggestion == nil ? choices ?? allowed : nil
        throw FilterProblem(
            entry: entry,
            reason: "invalid value \(quoted(word)) of option \(quoted(rawValue))"
                + (choices.map { " (\($0))" } ?? ""),
            at: word,
            suggestion: suggestion
        )
    }

    /// Sets how long a record may be: for a server, what its messages have anyway.
    private func setSize(
        _ value: Substring,
        of route: inout Winnow.Route,
        in entry: Substring
    ) throws(FilterProblem) {
        if case .network = route.destination {
            let choices = Winnow.NetworkOptions.allowedByteCounts
            route.network.messageByteCount = try self.value(value, in: entry, among: choices) {
                Winnow.NetworkOptions.messageByteCount(parsing: $0)
            }
        } else {
            route.recordByteCount = try self.value(value, in: entry) { word in
                word.byteCount.flatMap { $0 < BoundedFormatter.leastByteCount ? nil : $0 }
            }
        }
    }

    /// Returns the rotation with the option; nil where its value is wrong.
    private func rotation(of route: Winnow.Route, with value: Substring) -> FileRotation? {
        guard case .file(let path) = route.destination else { return nil }
        var rotation = route.rotation ?? FileRotation()
        let isRight =
            switch self {
            case .rotate: rotation.setTriggers(parsing: value)
            case .keep: rotation.setKept(parsing: value)
            case .names: rotation.setNaming(parsing: value)
            case .compress: rotation.setCompression(parsing: value)
            default: rotation.setLink(parsing: value, at: path)
            }
        return isRight ? rotation : nil
    }

    /// Sets how messages are framed, or how the two sides of a connection with TLS prove who they are.
    private func setServer(
        _ value: Substring,
        of route: inout Winnow.Route,
        in entry: Substring
    ) throws(FilterProblem) {
        guard case .network(var server) = route.destination else { return }
        switch self {
        case .ca: server.identity.authorities = try Self.path(value, in: entry)
        case .cert: server.identity.certificate = try Self.path(value, in: entry)
        case .key: server.identity.key = try Self.path(value, in: entry)
        case .framing:
            server.framing = try self.value(value, in: entry) {
                ["octets": .octetCounting, "lf": .lineFeed][$0.lowercased()]
            }
        default:
            server.identity.isVerified = try self.value(value, in: entry) {
                ["yes": false, "no": true][$0.lowercased()]
            }
        }
        route.destination = .network(server)
    }

    private static func path(
        _ value: Substring,
        in entry: Substring
    ) throws(FilterProblem) -> String {
        try PercentEscapes.decoded(value, as: "a path", in: entry)
    }

    private static func noOption(
        _ name: Substring,
        of destination: Winnow.Route.Destination,
        in entry: Substring
    ) -> FilterProblem {
        let known = options(of: destination).map(\.rawValue)
        return FilterProblem(
            entry: entry,
            reason: name.isEmpty ? "an option is missing" : "unknown option \(quoted(name))",
            at: name,
            suggestion: Suggestion.nearest(to: name, among: known)
        )
    }
}
