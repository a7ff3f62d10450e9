// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// Where a log begins that holds a part of a run, and which missing numbers may stand before it.
///
/// Whatever was numbered after the log began is in it. What was numbered before and is in it all the
/// same was on its way at that moment, and only such a record can have been overtaken by one that
/// stands before the log; of each thread it is one at most. So in the order of the numbers among all,
/// the first records of different threads may have been overtaken. The first one whose thread has one
/// before it was numbered after the log began, and so was everything behind it: what is missing there
/// is lost.
struct LogBeginning {
    /// The first records that may have been overtaken.
    private let overtaken: [EdgeRecords.Entry]
    /// How many more missing numbers may stand before the log.
    ///
    /// Each needs a number of the run that is missing among those of the overtaken ones. Only a thread
    /// that was suspended between its two numbers may have a smaller one: as many as were overtaken.
    private var capacity: UInt64

    /// Finds where a log begins, from its first records in the order of their numbers.
    init(_ records: [EdgeRecords.Entry]) {
        guard let first = records.first else {
            overtaken = []
            capacity = 0
            return
        }
        let farthest = first.sequence.adding(OnTheWay.distance)
        var threads: Set<Int64> = []
        overtaken = Array(
            records.prefix(OnTheWay.threads).prefix {
                $0.sequence < farthest && threads.insert($0.thread).inserted
            }
        )
        let settled = records.dropFirst(overtaken.count).first?.sequence
        let end = min(settled ?? records.last?.sequence ?? 0, farthest)
        let count = UInt64(overtaken.count)
        capacity = end.less(first.sequence).less(count).adding(count)
    }

    /// Returns which missing numbers of a level may stand before the log.
    mutating func excuse(
        _ span: LevelSpan,
        _ numbers: NumberRanges,
        atMost limit: UInt64
    ) -> Excuse {
        let end = settledNumber(of: span.level, in: numbers)
        let ranges = span.holes.filter { $0.upperBound < end }
        let reported = span.reported(within: span.start...max(span.start, end.less(1)))
        let count = ranges.size.less(reported)
        let excused = min(count, capacity, limit)
        capacity -= excused
        return excused > 0 ? Excuse(count: excused, ranges: ranges) : Excuse()
    }

    /// The first number of a level that was given after the log began, or the last one that it holds.
    private func settledNumber(of level: Level, in numbers: NumberRanges) -> UInt64 {
        let early = Set(overtaken.lazy.filter { $0.level == level }.map(\.levelSequence))
        for range in numbers.ranges {
            // At most so many of them are early.
            if let number = range.first(where: { !early.contains($0) }) { return number }
        }
        return numbers.last ?? 0
    }
}
