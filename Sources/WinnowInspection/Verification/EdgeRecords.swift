// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// The first or the last records of a run, by their numbers among all of it: as many as are needed,
/// in whatever order they come.
struct EdgeRecords: Sendable {
    /// What is known of one of them.
    struct Entry: Sendable, Hashable {
        let sequence: UInt64
        let thread: Int64
        let level: Level
        let levelSequence: UInt64
        /// Microseconds since 1970.
        let time: UInt64

        init(_ record: NumberedRecord) {
            sequence = record.sequence
            thread = record.thread
            level = record.level
            levelSequence = record.levelSequence
            time = record.time
        }
    }

    /// At which end of the run they are.
    enum Side: Sendable {
        case first
        case last
    }

    private let side: Side
    private let capacity: Int
    private var entries: [Entry] = []
    /// The farthest one that is needed, once there are enough.
    private var bound: UInt64?

    init(_ side: Side, capacity: Int) {
        self.side = side
        self.capacity = capacity
    }

    /// Adds a record, if it is among them as yet.
    mutating func add(_ entry: Entry) {
        if let bound, !isNearer(entry.sequence, than: bound) { return }
        entries.append(entry)
        // Sorted now and then: most come in order, and are then among the last, or not among the first.
        guard entries.count >= 2 * capacity else { return }
        entries = nearest
        bound = entries.last?.sequence
    }

    /// The records, in the order of their numbers.
    var sorted: [Entry] { side == .first ? nearest : nearest.reversed() }

    /// The records that are needed, the nearest to the edge first.
    private var nearest: [Entry] {
        Array(entries.sorted { isNearer($0.sequence, than: $1.sequence) }.prefix(capacity))
    }

    private func isNearer(_ number: UInt64, than other: UInt64) -> Bool {
        side == .first ? number < other : number > other
    }
}
