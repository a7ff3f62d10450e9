// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore
internal import WinnowFormatters

/// The list for people.
extension StatementStates {
    /// A line for each statement, then how many there are.
    package var text: String {
        let head = ["STATE", "LEVEL", "STATEMENT", "MESSAGE"]
        let lines = rows.map { row in
            [
                "\(row.state)", "\(row.statement.severity)", row.statement.place,
                row.statement.message,
            ]
        }
        return (lines.isEmpty ? "" : table([head] + lines) + "\n") + summary
    }

    private var summary: String {
        let name = program.title
        guard isKnown else {
            return
                "\(name): \(counted(rows.count)), built without optimization: level, place and texts "
                + "are unknown, so a word finds none\n"
        }
        let onCount = rows.count { $0.state != .off && $0.state != .unknown }
        return "\(name): \(counted(rows.count)), \(onCount) of them on\(gone)\n"
    }

    /// What the build has left out.
    private var gone: String {
        switch program.page.floor {
        case .debug: ""
        case let floor?: "; those below \(floor) are gone: its build has left them out"
        case nil: "; its build has left all others out"
        }
    }
}

extension StatementStates.State: CustomStringConvertible {
    var description: String {
        switch self {
        case .onForAll: "on"
        case .onFor(let names): "on for \(Self.list(names))"
        case .off: "off"
        case .unknown: "unknown"
        }
    }

    /// The most categories that are named.
    private static let greatestNameCount = 3

    private static func list(_ names: [String]) -> String {
        let known = names.prefix(greatestNameCount).map {
            $0.isEmpty ? "(none)" : $0.escaped(.line)
        }
        let others = names.count - known.count
        return known.joined(separator: ", ") + (others > 0 ? " and \(others) more" : "")
    }
}

/// The list for programs.
extension [StatementStates] {
    /// A JSON array with an object for each process, whose keys always come in the same order.
    package var json: String {
        isEmpty ? "[]\n" : "[\n  \(map(\.json).joined(separator: ",\n  "))\n]\n"
    }
}

extension StatementStates {
    fileprivate var json: String {
        let statements = rows.map { row in
            StatementReport.json(row.statement, and: [("on", row.state.json)])
        }
        return object([
            ("pid", "\(program.processID)"),
            ("identifier", jsonString(program.page.identifier)),
            ("floor", jsonString(program.page.floor?.description ?? "none")),
            ("statements", "[\(statements.joined(separator: ", "))]"),
        ])
    }
}

extension StatementStates.State {
    /// `true`, `false`, an array of categories, or `null`.
    fileprivate var json: String {
        switch self {
        case .onForAll: "true"
        case .onFor(let names):
            "[\(names.map(jsonString).joined(separator: ", "))]"
        case .off: "false"
        case .unknown: "null"
        }
    }
}
