// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The real journal, read with the real journalctl.
enum Journal {
    /// Whether `Tests/run` has brought a journald within reach.
    static let isReachable = ProcessInfo.processInfo.environment["WINNOW_TEST_JOURNAL"] == "1"

    /// What a test without a journal says.
    static let reason: Comment = "no journald in reach: run ./Tests/run"

    /// An entry: a value a field, in which journalctl writes bytes that are no text as numbers.
    struct Entry {
        let values: [String: Any]

        /// The text of a field.
        subscript(name: String) -> String? {
            if let text = values[name] as? String { return text }
            guard let bytes = values[name] as? [Int] else { return nil }
            return String(decoding: bytes.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
        }
    }

    /// The entries with an identifier, once there are as many as expected, in their order.
    ///
    /// journald stores what it is sent with a delay that nothing bounds; see ``waitUntil(_:every:_:)``.
    static func entries(
        of identifier: String,
        count: Int,
        fields: [String] = []
    ) throws -> [Entry] {
        let match = "SYSLOG_IDENTIFIER=\(identifier)"
        // An entry is a line, whatever its fields.
        let counting = ["--no-pager", "-q", "-o", "json", "--output-fields=PRIORITY", match]
        try waitUntil("the journal has \(count) entries of '\(identifier)'") {
            let outcome = try Program.run(counting, executable: "/usr/bin/journalctl")
            return outcome.stdout.utf8.count { $0 == UInt8(ascii: "\n") } >= count
        }
        return try read(fields.map { "--output-fields=\($0)" } + [match])
    }

    /// The entries that match what is said to journalctl.
    static func read(_ matches: [String]) throws -> [Entry] {
        let outcome = try Program.run(
            ["--all", "--no-pager", "--quiet", "-o", "json"] + matches,
            executable: "/usr/bin/journalctl"
        )
        return try outcome.stdout.split(separator: "\n").map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return Entry(values: try #require(object as? [String: Any]))
        }
    }

    /// An identifier that no other test has.
    static func uniqueIdentifier() -> String {
        "winnow-test-\(UUID().uuidString.prefix(8).lowercased())"
    }
}
