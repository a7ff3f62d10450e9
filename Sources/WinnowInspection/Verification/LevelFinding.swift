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
    /// The records that reports say are lost, went to the fallback, or were kept from the sink by an earlier
    /// configuration.
    package let lost: UInt64
    package let diverted: UInt64
    package let excluded: UInt64
    /// How many of the lost records, at most, can lie at the beginning of the log or after it.
    private let lostWithin: UInt64
    /// The numbers that are missing, whatever explains them: from where the log begins to the last
    /// one that a record or a report has.
    package let holes: [ClosedRange<UInt64>]
    package let missing: UInt64
    /// How many of them were lost, and no report explains it.
    package let unexplained: UInt64
    /// Those of them that may stand before the log, where it is a part of a run: see ``LogBeginning``.
    let early: Excuse
    /// Those that may have been on their way when the log ends: see ``LogEnding``.
    let late: Excuse
    package let repeated: UInt64
    package let uncompared: UInt64
    package let contradicted: [ClosedRange<UInt64>]
    private let span: LevelSpan

    /// Draws the conclusions; nil where there is nothing to say.
    init?(
        of account: LevelAccount,
        _ span: LevelSpan,
        beginning: inout LogBeginning,
        ending: inout LogEnding
    ) {
        let numbers = account.numbers
        guard numbers.count > 0 || !span.claims.isEmpty else { return nil }
        self.span = span
        level = span.level
        records = numbers.count
        first = numbers.first
        last = numbers.last
        holes = span.holes
        missing = holes.size
        lost = span.lost.reduce(0) { $0.adding($1.count) }
        diverted = span.diverted.reduce(0) { $0.adding($1.count) }
        excluded = span.excluded.reduce(0) { $0.adding($1.count) }
        lostWithin = span.lost.reduce(0) { $0.adding($1.count(from: span.start)) }
        repeated = account.repeated
        uncompared = account.uncompared
        contradicted = account.contradicted.ranges

        let claimed = ClaimedNumbers(holes, by: span.claims, from: span.start)
        let rest = missing.less(claimed.count)
        early = beginning.excuse(span, numbers, atMost: rest)
        late = ending.excuse(span, except: early, atMost: rest.less(early.count))
        unexplained = rest.less(early.count).less(late.count)
    }

    /// How many may stand before the log, and how many may have been on their way when it ends.
    package var unsettled: UInt64 { early.count }
    package var underway: UInt64 { late.count }

    /// The missing numbers of which some are neither.
    var settledHoles: [ClosedRange<UInt64>] {
        let excused = [early, late].filter(\.isWhole).flatMap(\.ranges)
        return holes.filter { !excused.contains($0) }
    }

    /// The numbers that the log accounts for; nil where there are none.
    var range: ClosedRange<UInt64>? { span.range }

    /// Whether what was before its first number is not in the log, nor in a report.
    var beginsLate: Bool { span.beginsLate }

    /// How many records were reported as lost that lie before the beginning of the log.
    package var lostBefore: UInt64 { lost.less(lostWithin) }

    /// How many records were reported as lost and are in the log all the same, or lie before its
    /// beginning.
    package var overreported: UInt64 { lostWithin.less(missing) }

    /// Whether nothing of the level was lost in silence, and no number stands for two records; of a
    /// whole log also that nothing is there that was reported as lost.
    package var holds: Bool {
        unexplained == 0 && contradicted.isEmpty && !(span.isComplete && overreported > 0)
    }
}
