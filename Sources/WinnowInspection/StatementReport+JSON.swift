// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore
internal import WinnowFormatters

extension StatementReport {
    /// The report for programs: one JSON object whose keys always come in the same order.
    ///
    /// Every key is always there, with `null` for what is unknown or was not asked for.
    package var json: String {
        """
        {
          "program": \(Self.json(program)),
          "libraries": \(Self.json(libraries.map(Self.json))),
          "statements": \(Self.json(table.statements.map { Self.json($0) })),
          "looseTexts": \(Self.json(table.looseTexts.map(Self.json))),
          "count": \(count),
          "leastSevere": \(leastSevere),
          "expected": \(jsonOfExpectation)
        }

        """
    }

    private var leastSevere: String {
        Self.json(table.statements.last?.severity.bound?.description)
    }

    private var jsonOfExpectation: String {
        guard let expectation else { return "null" }
        let holds = verdict == .holds ? "true" : verdict.isUnknown ? "null" : "false"
        return "{\"level\": \(Self.json(expectation.level?.description ?? "none")), "
            + "\"holds\": \(holds), \"reason\": \(Self.json(reason))}"
    }

    /// A statement, with further members.
    static func json(
        _ statement: Statement,
        and others: [(name: String, value: String)] = []
    ) -> String {
        var level: String?
        if case .exactly(let exact) = statement.severity { level = exact.description }
        let members: [(String, String)] =
            [
                ("level", json(level)),
                ("atMost", json(statement.severity.bound?.description)),
                ("module", json(statement.module)),
                ("file", json(statement.file)),
                ("line", statement.line.map { "\($0)" } ?? "null"),
                ("function", json(statement.function)),
                ("address", json("0x" + String(statement.address, radix: 16))),
                ("texts", "[\(statement.texts.map(json).joined(separator: ", "))]"),
                ("copies", "\(statement.copies)"),
                ("optimized", "\(statement.isOptimized)"),
            ] + others
        return "{\(members.map { "\"\($0)\": \($1)" }.joined(separator: ", "))}"
    }

    /// An array with an element a line.
    private static func json(_ elements: [String]) -> String {
        guard !elements.isEmpty else { return "[]" }
        return "[\n    \(elements.joined(separator: ",\n    "))\n  ]"
    }

    private static func json(_ text: String?) -> String {
        text.map { "\"\($0.escaped(.json))\"" } ?? "null"
    }
}
