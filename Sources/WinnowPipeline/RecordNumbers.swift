// SPDX-License-Identifier: Apache-2.0

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
