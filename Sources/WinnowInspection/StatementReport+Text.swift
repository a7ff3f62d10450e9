// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore
internal import WinnowFormatters

extension StatementReport {
    /// The widest column of places, in characters; what is longer pushes its message aside.
    private static let widestPlace = 48

    /// The report for people: a line for each statement, then the sum and the verdict.
    package var text: String {
        var lines: [String] = []
        let rows = table.statements.map { (level: "\($0.severity)", place: $0.place) }
        let levelWidth = rows.map(\.level.count).max() ?? 0
        let placeWidth = rows.map(\.place.count).filter { $0 <= Self.widestPlace }.max() ?? 0
        for (statement, row) in zip(table.statements, rows) {
            var line = row.level.padded(to: levelWidth) + "  " + row.place.padded(to: placeWidth)
            for part in Self.remarks(on: statement) { line += "  " + part }
            while line.last == " " { line.removeLast() }
            lines.append(line)
        }
        if !table.looseTexts.isEmpty {
            if !lines.isEmpty { lines.append("") }
            lines.append("literals of messages that are made outside of a statement:")
            lines += table.looseTexts.map { "  " + Statement.message([$0]) }
        }
        if !lines.isEmpty { lines.append("") }
        lines += libraries.map { "with the library \($0.escaped(.line))" }
        lines.append(summary)
        if let verdictLine { lines.append(verdictLine) }
        return lines.joined(separator: "\n") + "\n"
    }

    /// What stands behind the place: the message, and how often the code is there.
    private static func remarks(on statement: Statement) -> [String] {
        guard statement.isOptimized else {
            return statement.copies > 1 ? ["(\(counted(statement.copies)))"] : []
        }
        return [statement.message]
            + (statement.copies > 1 ? ["(\(statement.copies) copies)"] : [])
    }
}

extension StatementReport {
    /// The sum: how many statements of which level.
    private var summary: String {
        guard count > 0 else { return "\(program.escaped(.line)) holds no log statement" }
        guard !table.statements.allSatisfy({ !$0.isOptimized }) else {
            return
                "\(counted(count)), built without optimization: level, place and texts are unknown"
        }
        var counts: [(severity: Statement.Severity, count: Int)] = []
        for statement in table.statements {
            if counts.last?.severity == statement.severity {
                counts[counts.count - 1].count += statement.count
            } else {
                counts.append((statement.severity, statement.count))
            }
        }
        let parts = counts.map { "\($0.count) \($0.severity)" }.joined(separator: ", ")
        let least = counts.last.map { "\($0.severity.bound?.description ?? "unknown")" } ?? ""
        return "\(counted(count)): \(parts); the least severe is \(least)"
            + (isPartlyUnoptimized ? "\nA part is built without optimization: it is unknown" : "")
    }

    /// The verdict, if something is expected.
    private var verdictLine: String? {
        guard let expectation else { return nil }
        return "expected \(expectation): "
            + (reason.map { (verdict.isUnknown ? "CANNOT TELL: " : "FAILS: ") + $0 } ?? "holds")
    }

    /// Why the program is not as expected, or why that cannot be told; nil where it is.
    var reason: String? {
        guard let expectation else { return nil }
        switch verdict {
        case .holds:
            return nil
        case .fails(let count):
            return counted(count) + (expectation.level.map { " below \($0)" } ?? "")
        case .unknown(let count):
            return "the level of \(counted(count)) is unknown without optimization; "
                + "check a release build (swift build -c release)"
        }
    }
}

extension Expectation.Verdict {
    var isUnknown: Bool {
        if case .unknown = self { true } else { false }
    }
}
