// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// How many records of each level, and the first and the last of their numbers.
///
/// With these, a reader of the log knows up to which number there were records, even if the last ones are
/// among the counted.
struct LevelTally {
    private(set) var counts = LevelCounts()
    private var first = LevelCounts()
    private var last = LevelCounts()

    /// Adds one record.
    mutating func add(_ header: RecordHeader) {
        add(1, of: header.level, numbers: header.levelSequence...header.levelSequence)
    }

    /// Adds records with their numbers among the records of the level.
    mutating func add(_ count: UInt64, of level: Level, numbers: ClosedRange<UInt64>) {
        let isFirst = counts[level] == 0
        first[level] = isFirst ? numbers.lowerBound : min(first[level], numbers.lowerBound)
        last[level] = max(last[level], numbers.upperBound)
        counts[level] += count
    }

    /// Adds what another one holds.
    mutating func merge(_ other: LevelTally) {
        for level in Level.allCases where other.counts[level] > 0 {
            add(other.counts[level], of: level, numbers: other.first[level]...other.last[level])
        }
    }

    /// Calls the body with each level of which there are records, how many there are, and their first and last numbers.
    func forEach(_ body: (Level, UInt64, ClosedRange<UInt64>) -> Void) {
        for level in Level.allCases where counts[level] > 0 {
            body(level, counts[level], first[level]...last[level])
        }
    }

    /// The tally as fields: the sum by the name, and for each level the count and the two numbers.
    func fields(named name: String) -> [Field] {
        var fields = [Field(name, .unsigned(counts.total))]
        for level in Level.allCases where counts[level] > 0 {
            fields.append(Field("\(name)_\(level)", .unsigned(counts[level])))
            fields.append(Field("\(name)_\(level)_first", .unsigned(first[level])))
            fields.append(Field("\(name)_\(level)_last", .unsigned(last[level])))
        }
        return fields
    }
}
