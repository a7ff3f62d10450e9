// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// The numbers of a level that a log has to account for, and what its reports say of them.
struct LevelSpan: Sendable, Hashable {
    let level: Level
    /// Where the log begins for the level: 1 for a whole log.
    let start: UInt64
    /// The last number that a record or a report has; 0 where none is known.
    let end: UInt64
    /// The numbers that are missing between the two, whatever explains them.
    let holes: [ClosedRange<UInt64>]
    let lost: [NumberedRecord.Claim]
    let diverted: [NumberedRecord.Claim]
    let excluded: [NumberedRecord.Claim]
    /// Whether the log holds records of the level, and none of its first ones.
    let beginsLate: Bool
    /// Whether the log is held to have each run from its beginning to its end.
    let isComplete: Bool

    init(
        of level: Level,
        _ numbers: NumberRanges,
        lost: [NumberedRecord.Claim],
        diverted: [NumberedRecord.Claim],
        excluded: [NumberedRecord.Claim],
        isComplete: Bool
    ) {
        self.level = level
        self.isComplete = isComplete
        self.lost = lost
        self.diverted = diverted
        self.excluded = excluded
        let claims = lost + diverted + excluded
        start = isComplete ? 1 : Self.start(of: numbers, claims: claims)
        end = claims.map(\.last).reduce(numbers.last ?? 0, max)
        holes = numbers.holes(from: start, through: end)
        beginsLate = numbers.count > 0 && start > 1
    }

    /// All that its reports claim.
    var claims: [NumberedRecord.Claim] { lost + diverted + excluded }

    /// The numbers that the log accounts for; nil where there are none.
    var range: ClosedRange<UInt64>? { start <= end ? start...end : nil }

    /// How many records are known to be reported whose numbers lie in a range.
    func reported(within range: ClosedRange<UInt64>) -> UInt64 {
        claims.reduce(0) { (sum: UInt64, claim) in
            range.contains(claim.first) && range.contains(claim.last)
                ? sum.adding(claim.count) : sum
        }
    }

    /// Where the log begins: with the first record, or before it, where reports explain all numbers
    /// from one on that lie before the records.
    ///
    /// Of a level without a record, and without such reports, it is not known how many others the log
    /// held before.
    private static func start(
        of numbers: NumberRanges,
        claims: [NumberedRecord.Claim]
    ) -> UInt64 {
        let first = numbers.first ?? .max
        let early = claims.filter { $0.first > 0 && $0.first < first }
        guard let start = early.map(\.first).min() else { return first }
        let end = early.map(\.last).reduce(start, max)
        // What is missing behind their last number is the matter of other reports.
        let holes = numbers.holes(from: start, through: end).filter { $0.lowerBound <= end }
            .map { $0.lowerBound...min($0.upperBound, end) }
        let claimed = ClaimedNumbers(holes, by: early, from: start)
        return claimed.count >= holes.size ? start : first
    }
}

extension NumberedRecord.Claim {
    /// The most of the records whose number is not below another one: those at both ends of the
    /// range are known to be among them.
    func count(from start: UInt64) -> UInt64 {
        guard first > 0, first < start else { return count }
        guard last >= start else { return 0 }
        return min(count.less(1), last - start + 1)
    }
}
