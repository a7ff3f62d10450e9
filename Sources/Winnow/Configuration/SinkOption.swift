// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// An option in an entry of `WINNOW_SINKS`.
enum SinkOption: String {
    case format, color, facility

    /// The options of files that a later version reads.
    private static let planned = ["rotate", "keep", "compress"]

    /// Sets an option of a route: `format=json`.
    static func set(
        _ option: Substring,
        of route: inout Winnow.Route,
        in entry: Substring
    ) throws(FilterProblem) {
        guard let (name, value) = option.halves(separatedBy: "=") else {
            let reason = "a value is missing of option \(quoted(option))"
            throw FilterProblem(entry: entry, reason: reason, at: option)
        }
        let known = options(of: route.destination)
        guard let option = known.first(where: { $0.rawValue == name.lowercased() }) else {
            throw noOption(name, of: route.destination, in: entry)
        }
        guard option.set(value, of: &route) else {
            throw FilterProblem(
                entry: entry,
                reason: "no \(option) \(quoted(value))",
                at: value,
                suggestion: Suggestion.nearest(to: value, among: option.values)
            )
        }
    }

    private static func options(of destination: Winnow.Route.Destination) -> [SinkOption] {
        switch destination {
        case .journald, .sink: []
        case .syslog: [.facility]
        case .file: [.format]
        case .stderr: [.format, .color]
        }
    }

    private var values: [String] {
        switch self {
        case .format: Winnow.Format.names
        case .color: Winnow.Color.names
        case .facility: Facility.names
        }
    }

    /// Sets the option; false where the value is wrong.
    private func set(_ value: Substring, of route: inout Winnow.Route) -> Bool {
        switch self {
        case .format:
            guard let format = Winnow.Format(parsing: value) else { return false }
            route.format = format
        case .color:
            guard let color = Winnow.Color(parsing: value) else { return false }
            route.color = color
        case .facility:
            guard let facility = Facility(parsing: value) else { return false }
            route.facility = facility
        }
        return true
    }

    private static func noOption(
        _ name: Substring,
        of destination: Winnow.Route.Destination,
        in entry: Substring
    ) -> FilterProblem {
        if case .file = destination, planned.contains(name.lowercased()) {
            let reason = "not in this version: option \(quoted(name))"
            return FilterProblem(entry: entry, reason: reason, at: name)
        }
        let known = options(of: destination).map(\.rawValue)
        return FilterProblem(
            entry: entry,
            reason: name.isEmpty ? "an option is missing" : "no option \(quoted(name))",
            at: name,
            suggestion: Suggestion.nearest(to: name, among: known)
        )
    }
}
