// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// The numbers of the process's records: one among all, and one among the records of the level.
///
/// Routes choose by level alone, so a sink sees either all numbers of a level, except for its losses, or
/// none. A gap in the numbers of a level is therefore a loss, while a gap among all numbers may be a level
/// that the sink does not get.
enum RecordNumbers {
    private static var all: UInt8 { UInt8(cwinnow_numbers_of_all) }

    /// The number of the last record.
    static var last: UInt64 { cwinnow_numbers_last(all) }

    /// The number of the last record of a level.
    static func last(of level: Level) -> UInt64 { cwinnow_numbers_last(level.rawValue) }

    /// How many records of each level have one.
    static var counts: LevelCounts { LevelCounts { last(of: $0) } }

    /// Gives a record its numbers.
    @inline(__always)
    static func number(_ header: inout RecordHeader) {
        let numbers = cwinnow_numbers_next(header.level.rawValue)
        header.sequence = numbers.of_all
        header.levelSequence = numbers.of_level
    }

    /// Counts records by their levels.
    static func counts(
        of records: UnsafeMutablePointer<RingRecord>,
        count: Int
    ) -> InlineArray<8, UInt64> {
        var counts = InlineArray<8, UInt64>(repeating: 0)
        for index in 0..<count {
            // SAFETY: a level has a raw value below eight.
            let level = unsafe Int(records[index].header.level.rawValue)
            unsafe counts[unchecked: level] &+= 1
        }
        return counts
    }

    /// Returns the levels of which there is one, of counts by level.
    ///
    /// Without generics: a debug build looks up their types at run time, with locks of malloc's that a
    /// process which aborts may hold.
    static func levels(of counts: InlineArray<8, UInt64>) -> LevelSet {
        var mask: UInt8 = 0
        var level = 0
        while level < 8 {
            if counts[level] > 0 { mask |= 1 &<< UInt8(truncatingIfNeeded: level) }
            level += 1
        }
        return LevelSet(rawValue: mask)
    }

    /// Gives records their numbers, in their order, and says of which process they are.
    ///
    /// What another thread logs meanwhile has later numbers than all of them.
    ///
    /// - Parameters:
    ///   - records: The records.
    ///   - counts: How many of them there are of each level.
    ///   - count: How many there are in all.
    ///   - shown: Where the recorder is shown what they get; nil where the process does not record.
    static func number(
        _ records: UnsafeMutablePointer<RingRecord>,
        counts: InlineArray<8, UInt64>,
        count: Int,
        shown: UnsafeMutablePointer<cwinnow_recorder_claimed>? = nil
    ) {
        var number = cwinnow_numbers_take(all, UInt64(count)) &- UInt64(count)
        if let shown = unsafe shown { unsafe cwinnow_recorder_show_before(shown, all, number) }
        var levelNumbers = counts
        for level in counts.indices where counts[level] > 0 {
            levelNumbers[level] =
                cwinnow_numbers_take(UInt8(level), counts[level]) &- counts[level]
            if let shown = unsafe shown {
                unsafe cwinnow_recorder_show_before(shown, UInt8(level), levelNumbers[level])
            }
        }
        let process = (id: cwinnow_process_id(), run: RunIdentity.current)
        for index in 0..<count {
            let level = unsafe Int(records[index].header.level.rawValue)
            number &+= 1
            unsafe levelNumbers[unchecked: level] &+= 1
            let levelNumber = unsafe levelNumbers[unchecked: level]
            unsafe records[index].setNumbers(number, ofLevel: levelNumber, process: process)
        }
    }

    /// Takes the numbers of records of a level that nobody gets.
    static func skip(
        _ count: UInt64,
        of level: Level
    ) -> (all: ClosedRange<UInt64>, ofLevel: ClosedRange<UInt64>) {
        let last = cwinnow_numbers_take(all, count)
        let lastOfLevel = cwinnow_numbers_take(level.rawValue, count)
        return (last - count + 1...last, lastOfLevel - count + 1...lastOfLevel)
    }

    /// Begins to count anew: in the child of a fork.
    static func forgetParent() {
        cwinnow_numbers_reset()
    }
}
