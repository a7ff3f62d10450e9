// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import Synchronization
internal import WinnowCore

/// The numbers of the process's records: one among all, and one among those of the level.
///
/// As routes choose by level alone, a sink sees all numbers of a level or none of them, but for what
/// it lost: so a gap in those is a loss, where a gap among all may be a level that the sink does not
/// get.
enum RecordNumbers {
    private static let all = Atomic<UInt64>(0)
    /// Those of each level, by its raw value.
    private static let levels: InlineArray<8, Atomic<UInt64>> = [
        Atomic(0), Atomic(0), Atomic(0), Atomic(0), Atomic(0), Atomic(0), Atomic(0), Atomic(0),
    ]

    /// The number of the last record.
    static var last: UInt64 { all.load(ordering: .relaxed) }

    /// Gives a record its numbers, and says of which run it is.
    @inline(__always)
    static func number(_ header: inout RecordHeader) {
        header.sequence = all.wrappingAdd(1, ordering: .relaxed).newValue
        // SAFETY: a level has a raw value below eight.
        let ofLevel = unsafe levels[unchecked: Int(header.level.rawValue)]
            .wrappingAdd(1, ordering: .relaxed)
        header.levelSequence = ofLevel.newValue
        header.run = RunIdentity.current
    }

    /// Gives records their numbers, in their order, and says of which process they are.
    ///
    /// What another thread logs meanwhile has later numbers than all of them.
    static func number(_ records: UnsafeMutablePointer<RingRecord>, count: Int) {
        var counts = InlineArray<8, UInt64>(repeating: 0)
        for index in 0..<count {
            // SAFETY: a level has a raw value below eight.
            let level = unsafe Int(records[index].header.level.rawValue)
            unsafe counts[unchecked: level] &+= 1
        }
        var number = all.wrappingAdd(UInt64(count), ordering: .relaxed).oldValue
        var levelNumbers = counts
        for level in levels.indices where counts[level] > 0 {
            levelNumbers[level] =
                levels[level].wrappingAdd(counts[level], ordering: .relaxed).oldValue
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
        let last = all.add(count, ordering: .relaxed).newValue
        let lastOfLevel = levels[Int(level.rawValue)].add(count, ordering: .relaxed).newValue
        return (last - count + 1...last, lastOfLevel - count + 1...lastOfLevel)
    }

    /// Begins to count anew: in the child of a fork.
    static func forgetParent() {
        all.store(0, ordering: .relaxed)
        for index in levels.indices { levels[index].store(0, ordering: .relaxed) }
    }
}
