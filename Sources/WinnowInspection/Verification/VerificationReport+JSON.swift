// SPDX-License-Identifier: Apache-2.0

internal import WinnowFormatters

extension VerificationReport {
    /// The report for programs: one JSON object whose keys always come in the same order.
    ///
    /// Every key is always there, with `null` for what is unknown; `holes` has all ranges.
    package var json: String {
        """
        {
          "runs": \(Self.json(runs.map(Self.json))),
          "records": \(sum(\.records)),
          "lost": \(sum(\.lost)),
          "unexplained": \(sum(\.unexplained)),
          "files": \(Self.json(sources.map(Self.json))),
          "unnumbered": \(count(\.unnumbered)),
          "foreign": \(count(\.foreign)),
          "torn": \(count(\.torn)),
          "suppressed": \(suppressed),
          "complete": \(isComplete),
          "holds": \(holds)
        }

        """
    }

    private func count(_ number: (SourceFinding) -> Int) -> Int {
        sources.reduce(0) { $0 + number($1) }
    }

    private static func json(_ source: SourceFinding) -> String {
        object([
            ("name", jsonString(source.name)),
            ("records", "\(source.records)"),
            ("unnumbered", "\(source.unnumbered)"),
            ("foreign", "\(source.foreign)"),
            ("torn", "\(source.torn)"),
            ("suppressed", "\(source.suppressed)"),
        ])
    }

    private static func json(_ run: RunFinding) -> String {
        object([
            ("run", "\"\(run.run.name)\""),
            ("process", "\(run.run.processID)"),
            ("from", "\"\(time(run.times.lowerBound))\""),
            ("to", "\"\(time(run.times.upperBound))\""),
            ("first", run.sequences.map { "\($0.lowerBound)" } ?? "null"),
            ("last", run.sequences.map { "\($0.upperBound)" } ?? "null"),
            ("levels", "[\(run.levels.map(json).joined(separator: ", "))]"),
        ])
    }

    private static func json(_ level: LevelFinding) -> String {
        object([
            ("level", "\"\(level.level)\""),
            ("records", "\(level.records)"),
            ("first", level.first.map { "\($0)" } ?? "null"),
            ("last", level.last.map { "\($0)" } ?? "null"),
            ("lost", "\(level.lost)"),
            ("diverted", "\(level.diverted)"),
            ("excluded", "\(level.excluded)"),
            ("missing", "\(level.missing)"),
            ("unsettled", "\(level.unsettled)"),
            ("underway", "\(level.underway)"),
            ("unexplained", "\(level.unexplained)"),
            ("overreported", "\(level.overreported)"),
            ("holes", ranges(level.holes)),
            ("repeated", "\(level.repeated)"),
            ("uncompared", "\(level.uncompared)"),
            ("contradicted", ranges(level.contradicted)),
        ])
    }

    private static func ranges(_ ranges: [ClosedRange<UInt64>]) -> String {
        "[\(ranges.map { "[\($0.lowerBound), \($0.upperBound)]" }.joined(separator: ", "))]"
    }

    private static func object(_ members: [(name: String, value: String)]) -> String {
        "{\(members.map { "\"\($0.name)\": \($0.value)" }.joined(separator: ", "))}"
    }

    /// An array with an element a line.
    private static func json(_ elements: [String]) -> String {
        guard !elements.isEmpty else { return "[]" }
        return "[\n    \(elements.joined(separator: ",\n    "))\n  ]"
    }
}
