// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
package import WinnowCore

/// The encoded records that a sink could not take yet, oldest first, bounded in bytes.
///
/// Capacity is kept for what matters: `info` and `debug` may fill half of it, `notice` three
/// quarters, and `warning` and above all. A record that is larger than that waits alone. What Winnow says itself,
/// seldom, has a little room of its own behind that: it may be what was lost.
@safe
package struct SinkQueue: ~Copyable {
    // SAFETY: each piece of the memory has a header and the arguments behind it.

    /// The bytes that the records may take.
    package let capacity: Int
    private static let ownCapacity = 64 << 10
    package private(set) var byteCount = 0
    /// The most bytes that there ever were.
    package private(set) var highWater = 0
    package private(set) var count = 0
    /// How many of the records are the program's.
    package private(set) var programCount = 0
    private var removedCount = 0
    private var memory: QueueMemory

    /// - Parameters:
    ///   - capacity: The bytes that the records may take.
    ///   - name: The name of the sink.
    package init(capacity: Int, name: String = "") {
        self.capacity = capacity
        // Twice as much, as a record lies in one piece, and a quarter for the words in front of the records.
        let byteCount = 2 * (capacity + Self.ownCapacity) + capacity / 4
        memory = QueueMemory(byteCount: byteCount, name: name)
    }

    package var isEmpty: Bool { memory.isEmpty }

    /// Keeps a copy of an encoded record; false where there is no room for its level.
    package mutating func append(_ header: RecordHeader, arguments: UnsafeRawPointer) -> Bool {
        let size = Int(header.byteCount)
        guard isEmpty || byteCount + size <= share(of: header),
            let place = unsafe memory.take(size)
        else { return false }
        unsafe place.storeBytes(of: header, as: RecordHeader.self)
        let offset = RecordHeader.byteCount
        unsafe (place + offset).copyMemory(from: arguments, byteCount: size - offset)
        memory.show()
        count += 1
        if header.isOfProgram {
            programCount += 1
            cwinnow_ending_note_waiting(1)
        }
        byteCount += size
        highWater = max(highWater, byteCount)
        return true
    }

    /// Takes the memory now: where the process records.
    mutating func reserve() { memory.reserve() }

    /// Shows the recorder what the sink has lost and was not told of.
    mutating func show(_ losses: inout cwinnow_recorder_losses) {
        memory.show(&losses)
    }

    /// Whether it is worth waking who waits for room now, which is not so with every record.
    var hasRoomAgain: Bool { isEmpty || removedCount % 64 == 0 }

    /// The oldest record, for as long as it is in the queue.
    package var first: QueuedRecord? { unsafe memory.first.map { unsafe QueuedRecord(at: $0) } }

    /// The oldest record, which stays where it is until another is lent or the loan is ended: somebody may read it
    /// while others take it out.
    package mutating func lendFirst() -> QueuedRecord? {
        unsafe memory.lendFirst().map { unsafe QueuedRecord(at: $0) }
    }

    /// Ends the loan of a record, if it is the one that is lent.
    package mutating func endLoan(of record: QueuedRecord) {
        unsafe memory.endLoan(of: record.header)
    }

    /// Ends a loan whose reader is gone: in the child of a fork.
    mutating func endLoan() {
        memory.endLoan()
    }

    package mutating func removeFirst() {
        guard let header = unsafe first?.header.pointee else { return }
        memory.giveBackFirst()
        byteCount -= Int(header.byteCount)
        count -= 1
        removedCount += 1
        guard header.isOfProgram else { return }
        programCount -= 1
        cwinnow_ending_note_waiting(-1)
    }

    private func share(of header: RecordHeader) -> Int {
        let capacity = min(capacity, memory.recordByteCount)
        guard header.isOfProgram else { return capacity + Self.ownCapacity }
        return switch header.level {
        case .debug, .info: capacity / 2
        case .notice: capacity / 4 * 3
        default: capacity
        }
    }
}

/// A record that waits, where it lies in its queue: there while the lock of the account is held, or while it is lent.
@unsafe
package struct QueuedRecord {
    package let header: UnsafePointer<RecordHeader>

    fileprivate init(at place: UnsafeMutableRawPointer) {
        unsafe header = unsafe UnsafePointer(place.assumingMemoryBound(to: RecordHeader.self))
    }

    /// A copy, which stays.
    var copy: DetachedBuffer {
        let size = unsafe Int(header.pointee.byteCount)
        let copy = DetachedBuffer(capacity: size)
        unsafe copy.base.copyMemory(from: header, byteCount: size)
        return copy
    }

    /// The encoding.
    package var arguments: UnsafeRawPointer {
        unsafe UnsafeRawPointer(header) + RecordHeader.byteCount
    }
}
