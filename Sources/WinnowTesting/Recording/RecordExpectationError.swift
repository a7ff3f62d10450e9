// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore
internal import WinnowSinks

/// A record that a test awaited and that did not come, or one that must not come and did.
///
/// Its ``description`` says what was awaited, and which records were the nearest: swift-testing and
/// XCTest show it as the error of the test.
public struct RecordExpectationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What was awaited, and what was there, in lines.
    public let description: String

    /// The records that a message lists at most.
    private static let listed = 5

    /// A record that did not come.
    init(
        awaited patterns: [RecordPattern],
        found: Int,
        within time: Duration,
        among records: [StoredRecord],
        dropped: Int
    ) {
        let pattern = patterns[found]
        var text = "\(pattern) did not come within \(time)"
        if patterns.count > 1 {
            text += ", as number \(found + 1) of \(patterns.count) in this order"
        }
        text += records.isEmpty ? "; there are no records" : "; of \(records.count) records"
        if dropped > 0 { text += ", and \(dropped) that made room for them" }
        if !records.isEmpty { text += ", the nearest are" }
        description = ([text] + Self.lines(nearest: pattern, among: records)).joined(
            separator: "\n"
        )
    }

    /// A record that must not come.
    init(unwanted pattern: RecordPattern, came record: StoredRecord) {
        description = "\(pattern) came, and must not:\n  \(record.inOneLine)"
    }

    /// The sink no longer holds what must be looked through.
    init(unwanted pattern: RecordPattern, unknownAmong dropped: Int) {
        description =
            "whether \(pattern) came is not known: \(dropped) records made room for later ones;"
            + " give the sink a larger capacity"
    }

    private static func lines(
        nearest pattern: RecordPattern,
        among records: [StoredRecord]
    ) -> [String] {
        let rated = records.enumerated().map { index, record in
            (index, record, pattern.conditions.filter { !$0.holds(record) })
        }
        // The least missed conditions first, and of the same number the latest.
        let nearest = rated.sorted { ($0.2.count, -$0.0) < ($1.2.count, -$1.0) }.prefix(listed)
        return nearest.map { _, record, missed in
            let why =
                missed.isEmpty
                ? "matches, but came before those awaited with it"
                : "not " + missed.map(\.text).joined(separator: ", ")
            return "  \(record.inOneLine): \(why)"
        }
    }
}

extension StoredRecord {
    /// The record as a message about a failure shows it.
    var inOneLine: String {
        let place = category.isEmpty ? "" : " [\(category)]"
        let pairs = fields.prefix(16).map { " \($0.name)=\($0.value.inQuotes)" }
        let more = fields.count > 16 ? " …" : ""
        return "\(level)\(place) \(shortMessage)\(pairs.joined())\(more)"
    }

    private var shortMessage: String {
        message.count <= 200
            ? message.debugDescription : String(message.prefix(200)).debugDescription + "…"
    }
}
