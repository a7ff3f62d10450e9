// SPDX-License-Identifier: Apache-2.0

package import WinnowCore

/// What there is to say of one level of a run.
package struct LevelFinding: Sendable, Hashable {
    package let level: Level
    /// The records, repeated ones once.
    package let records: UInt64
    /// The numbers of the first and the last of them; nil where there is none.
    package let first: UInt64?
    package let last: UInt64?
    /// The records that reports say are lost, or went to the fallback.
    package let lost: UInt64
    package let diverted: UInt64
    /// The most of them that can lie where the log begins or behind.
    private let lostWithin: UInt64
    private let divertedWithin: UInt64
    /// The numbers that are missing, whatever explains them: from where the log begins to the last
    /// one that a record or a report has.
    package let holes: [ClosedRange<UInt64>]
    package let missing: UInt64
    /// How many of them are below the first records of a part of a log, and so may stand before it:
    /// a thread that is held up between the number and the write lets others overtake it.
    package let unsettled: UInt64
    package let repeated: UInt64
    package let uncompared: UInt64
    package let contradicted: [ClosedRange<UInt64>]
    /// Whether the log is held to begin with the run.
    private let isComplete: Bool

    /// How many records at the beginning of a part of a log may have been overtaken by others, which
    /// stand before it: one for each thread that logs.
    package static let overtaken: UInt64 = 64

    /// Draws the conclusions; nil where there is nothing to say.
    init?(
        of account: LevelAccount,
        level: Level,
        reports: Set<NumberedRecord>,
        isComplete: Bool
    ) {
        let lost = reports.compactMap { $0.lost[level] }
        let diverted = reports.compactMap { $0.diverted[level] }
        let numbers = account.numbers
        guard numbers.count > 0 || !lost.isEmpty || !diverted.isEmpty else { return nil }
        self.level = level
        self.isComplete = isComplete
        records = numbers.count
        first = numbers.first
        last = numbers.last
        // Of a level without a record it is not known how many others the log held before.
        let start = isComplete ? 1 : numbers.first ?? .max
        let end = (lost + diverted).map(\.last).reduce(numbers.last ?? 0, max)
        holes = numbers.holes(from: start, through: end)
        missing = holes.reduce(0) { $0.adding($1.upperBound - $1.lowerBound + 1) }
        let isPart = start > 1 && !isComplete
        let fringe = isPart ? numbers.number(at: Self.overtaken) ?? end : 0
        unsettled = holes.prefix { $0.upperBound < fringe }.reduce(0) {
            $0.adding($1.upperBound - $1.lowerBound + 1)
        }
        self.lost = lost.reduce(0) { $0.adding($1.count) }
        self.diverted = diverted.reduce(0) { $0.adding($1.count) }
        lostWithin = lost.reduce(0) { $0.adding($1.count(from: start)) }
        divertedWithin = diverted.reduce(0) { $0.adding($1.count(from: start)) }
        repeated = account.repeated
        uncompared = account.uncompared
        contradicted = account.contradicted.ranges
    }

    /// How many of the missing numbers were lost, and no report explains it.
    package var unexplained: UInt64 {
        missing.less(unsettled).less(lostWithin).less(divertedWithin)
    }

    /// How many records were reported as lost that lie before the beginning of the log.
    package var lostBefore: UInt64 { lost.less(lostWithin) }

    /// How many records were reported as lost and are in the log all the same, or lie before its
    /// beginning.
    package var overreported: UInt64 { lostWithin.less(missing) }

    /// Whether nothing of the level was lost in silence, and no number stands for two records; of a
    /// whole log also that nothing is there that was reported as lost.
    package var holds: Bool {
        unexplained == 0 && contradicted.isEmpty && !(isComplete && overreported > 0)
    }
}

extension NumberedRecord.Claim {
    /// The most of the records whose number is not below another one: those at both ends of the
    /// range are known to be among them.
    fileprivate func count(from start: UInt64) -> UInt64 {
        guard first > 0, first < start else { return count }
        guard last >= start else { return 0 }
        return min(count.less(1), last - start + 1)
    }
}
