// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore
internal import WinnowFormatters
internal import WinnowSinks

/// An option in an entry of `WINNOW_SINKS`, except those that only a server has.
enum SinkOption: String {
    case format, color, facility, size
    /// The options of ``FileRotation``.
    case rotate, keep, names, compress, link

    /// Whether some sink has an option of the name.
    static func isName(_ name: Substring) -> Bool {
        let name = name.lowercased()
        return SinkOption(rawValue: name) != nil || NetworkSyslog.options.contains(name)
    }

    /// Sets an option of a route: `format=json`.
    static func set(
        _ option: Substring,
        of route: inout Winnow.Route,
        in entry: Substring
    ) throws(FilterProblem) {
        guard let (name, text) = option.halves(separatedBy: "=") else {
            let reason = "option \(quoted(option)) has no value"
            throw FilterProblem(entry: entry, reason: reason, at: option)
        }
        let value = OptionValue(text, of: name.lowercased(), in: entry)
        if case .network(var server) = route.destination, server.options.contains(value.option) {
            try server.set(value)
            route.destination = .network(server)
            return
        }
        let known = options(of: route.destination)
        guard let option = known.first(where: { $0.rawValue == value.option }) else {
            throw noOption(name, of: route.destination, in: entry)
        }
        try option.set(value, of: &route)
    }

    private static func options(of destination: Winnow.Route.Destination) -> [SinkOption] {
        switch destination {
        case .sink: []
        case .journald: [.size]
        case .syslog: [.facility, .size]
        // Those of a server in addition.
        case .network: [.facility]
        case .file: [.format, .size, .rotate, .keep, .names, .compress, .link]
        case .stream: [.format, .size, .color]
        }
    }

    private func set(_ value: OptionValue, of route: inout Winnow.Route) throws(FilterProblem) {
        switch self {
        case .format:
            route.format = try FormatWord.format(ofOption: value.text, in: value.entry)
        case .color:
            route.color = try value.parsed(among: Winnow.Color.names) { Winnow.Color(parsing: $0) }
        case .facility:
            route.facility = try value.parsed(among: Facility.names, allowed: Facility.choices) {
                Facility(parsing: $0)
            }
        case .size:
            route.recordByteCount = try value.parsed(allowed: "bytes as 16K, from 1K") { word in
                word.byteCount.flatMap { $0 < BoundedFormatter.leastByteCount ? nil : $0 }
            }
        case .rotate, .keep, .names, .compress, .link:
            route.rotation = try value.parsed(among: rotationWords, allowed: allowedRotation) {
                rotation(of: route, with: $0)
            }
        }
    }

    /// The words of an option of rotation.
    private var rotationWords: [String] {
        switch self {
        case .rotate: FileRotation.triggerNames
        case .names: FileRotation.namingNames
        case .compress: FileRotation.compressionNames
        default: []
        }
    }

    /// What the value of an option of rotation may be; nil where the words say it.
    private var allowedRotation: String? {
        switch self {
        case .rotate: FileRotation.allowedTriggers
        case .keep: FileRotation.allowedKept
        case .link: "a name in the folder of the file, but none of the log's own files"
        default: nil
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

    private static func noOption(
        _ name: Substring,
        of destination: Winnow.Route.Destination,
        in entry: Substring
    ) -> FilterProblem {
        var known = options(of: destination).map(\.rawValue)
        if case .network(let server) = destination { known += server.options }
        return FilterProblem(
            entry: entry,
            reason: name.isEmpty ? "an option is missing" : "unknown option \(quoted(name))",
            at: name,
            suggestion: Suggestion.nearest(to: name, among: known)
        )
    }
}
