// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore
internal import WinnowFormatters

/// What the tool says of one program.
package struct StatementReport: Sendable {
    /// The program, as the user named it.
    package let program: String
    /// The libraries of the program with statements of their own, which the table holds too.
    package let libraries: [String]
    package let table: StatementTable
    /// What it is held to, if to anything.
    package let expectation: Expectation?

    /// Creates a report.
    package init(
        program: String,
        libraries: [String] = [],
        table: StatementTable,
        expectation: Expectation? = nil
    ) {
        self.program = program
        self.libraries = libraries
        self.table = table
        self.expectation = expectation
    }

    /// What the program is, held to the expectation.
    package var verdict: Expectation.Verdict {
        expectation?.verdict(on: table.statements) ?? .holds
    }

    /// How many statements there are, copies not counted.
    var count: Int { table.statements.reduce(0) { $0 + $1.count } }

    /// Whether a part of the program at least was built without optimization.
    var isPartlyUnoptimized: Bool { table.statements.contains { !$0.isOptimized } }
}

extension String {
    /// The text with what is harmful in it escaped, without quotes around it.
    func escaped(_ escaping: Escaping) -> String {
        var buffer = ByteBuffer(capacity: utf8.count + 16)
        buffer.append(self, escaping: escaping)
        return buffer.withBytes { bytes in
            String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        }
    }

    /// The text, with spaces behind it so that it has so many characters.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}

/// Returns the text as one line, with what is harmful in it escaped.
package func escapingLine(of text: String) -> String { text.escaped(.line) }

/// Returns the text with what is harmful in its lines escaped.
package func escapingLines(of text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false)
        .map { String($0).escaped(.line) }.joined(separator: "\n")
}

/// Returns a number with its noun: `1 statement`, `2 statements`.
func counted(_ count: Int, _ noun: String = "statement", plural: String? = nil) -> String {
    "\(count) \(count == 1 ? noun : plural ?? noun + "s")"
}
