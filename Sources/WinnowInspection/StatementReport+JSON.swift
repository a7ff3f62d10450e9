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
          "program": \(jsonString(program)),
          "libraries": \(Self.json(libraries.map(jsonString))),
          "statements": \(Self.json(table.statements.map { Self.json($0) })),
          "looseTexts": \(Self.json(table.looseTexts.map(jsonString))),
          "count": \(count),
          "leastSevere": \(leastSevere),
          "expected": \(jsonOfExpectation)
        }

        """
    }

    private var leastSevere: String {
        jsonString(table.statements.last?.severity.bound?.description)
    }

    private var jsonOfExpectation: String {
        guard let expectation else { return "null" }
        let holds = verdict == .holds ? "true" : verdict.isUnknown ? "null" : "false"
        return "{\"level\": \(jsonString(expectation.level?.description ?? "none")), "
            + "\"holds\": \(holds), \"reason\": \(jsonString(reason))}"
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
                ("level", jsonString(level)),
                ("atMost", jsonString(statement.severity.bound?.description)),
                ("module", jsonString(statement.module)),
                ("file", jsonString(statement.file)),
                ("line", statement.line.map { "\($0)" } ?? "null"),
                ("function", jsonString(statement.function)),
                ("address", jsonString("0x" + String(statement.address, radix: 16))),
                ("texts", "[\(statement.texts.map(jsonString).joined(separator: ", "))]"),
                ("copies", "\(statement.copies)"),
                ("optimized", "\(statement.isOptimized)"),
            ] + others
        return object(members)
    }

    /// An array with an element a line.
    private static func json(_ elements: [String]) -> String {
        guard !elements.isEmpty else { return "[]" }
        return "[\n    \(elements.joined(separator: ",\n    "))\n  ]"
    }
}
