// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WinnowCore
import WinnowFormatters
import WinnowTesting

/// The article on formats, against what the formatters write.
struct FormatsArticleTests {
    /// The lines of the article.
    private static func article() throws -> [Substring] {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let file = root.appendingPathComponent("Sources/Winnow/Winnow.docc/Formats.md")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    }

    /// Returns the line of the article's record, without its line feed.
    private static func line(by formatter: some WinnowCore.Formatter) -> String {
        let place = SourceLocation(fileID: "Server/Main.swift", function: "start()", line: 42)
        let line = withRecord(
            "listening on example.org:\(80, as: "port")",
            category: "net",
            fields: ["backlog": 128, "path": "a b"],
            timestamp: 1_795_253_415_123_456_789,
            location: place
        ) { text(of: $0, by: formatter) }
        return (line ?? "").trimmingCharacters(in: .newlines)
    }

    @Test func `each pattern writes what the table beside it says`() async {
        await #expect(processExitsWith: .success) {
            setTimeZone("ABC-01:00")
            var names: Set<Substring> = []
            for row in try FormatsArticleTests.article() {
                guard let match = row.wholeMatch(of: #/\| `([^`]*\{[^`]*)` \| `([^`]*)` \|/#) else {
                    continue
                }
                let formatter = try PatternFormatter(String(match.1), identifier: "myapp")
                let line = FormatsArticleTests.line(by: formatter)
                precondition(line == match.2, "\(match.1) writes \(line), not \(match.2)")
                names.insert(match.1)
            }
            precondition(names.count == 51, "\(names.count) patterns")
        }
    }

    @Test func `the lines of the formats are as they write them`() async {
        await #expect(processExitsWith: .success) {
            setTimeZone("ABC-01:00")
            let article = try FormatsArticleTests.article().joined()
            let lines = [
                FormatsArticleTests.line(by: TextFormatter()),
                FormatsArticleTests.line(by: LogfmtFormatter()),
                FormatsArticleTests.line(
                    by: LocalSyslogFormatter(identifier: "myapp", facility: .daemon)
                ),
            ]
            for line in lines { precondition(article.contains(line), line) }
            // Broken into lines, which begin with a blank.
            let object = FormatsArticleTests.line(by: JSONFormatter())
            precondition(article.replacingOccurrences(of: ", \"", with: ",\"").contains(object))
        }
    }
}
