// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// The encoded records that a sink could not take yet, oldest first, bounded in bytes.
///
/// Capacity is kept for what matters: `info` and `debug` may fill half of it, `notice` three
/// quarters, and `warning` and above all. A record that is larger than that waits alone. What Winnow says itself,
/// seldom, has a little room of its own behind that: it may be what was lost.
@safe
struct SinkQueue {
    /// The bytes that the records may take.
    let capacity: Int
    private static let ownCapacity = 64 << 10
    private(set) var byteCount = 0
    /// The most bytes that there ever were.
    private(set) var highWater = 0
    private var records: [DetachedBuffer?] = []
    /// How many of the records are the program's.
    private(set) var programCount = 0
    private var head = 0

    init(capacity: Int) {
        self.capacity = capacity
    }

    var isEmpty: Bool { head == records.count }
    var count: Int { records.count - head }

    /// Keeps a copy of an encoded record; false where there is no room for its level.
    mutating func append(_ header: RecordHeader, arguments: UnsafeRawPointer) -> Bool {
        let size = Int(header.byteCount)
        guard isEmpty || byteCount + size <= share(of: header) else { return false }
        let copy = DetachedBuffer(capacity: size)
        unsafe copy.base.storeBytes(of: header, as: RecordHeader.self)
        let offset = RecordHeader.byteCount
        unsafe (copy.base + offset).copyMemory(from: arguments, byteCount: size - offset)
        records.append(copy)
        if header.isOfProgram {
            programCount += 1
            cwinnow_ending_note_waiting(1)
        }
        byteCount += size
        highWater = max(highWater, byteCount)
        return true
    }

    /// Whether it is worth waking who waits for room now, which is not so with every record.
    var hasRoomAgain: Bool { isEmpty || head % 64 == 0 }

    /// The oldest record.
    var first: DetachedBuffer? {
        isEmpty ? nil : records[head]
    }

    mutating func removeFirst() {
        guard let first else { return }
        byteCount -= first.capacity
        if unsafe first.base.load(as: RecordHeader.self).isOfProgram {
            programCount -= 1
            cwinnow_ending_note_waiting(-1)
        }
        let keepsMemory = cwinnow_ending_keeps_memory()
        if keepsMemory { first.keepForGood() }
        // Else up to 1 024 records that are settled would stay in memory.
        records[head] = nil
        head += 1
        if keepsMemory { return }
        if head == records.count {
            records.removeAll(keepingCapacity: records.count < 1_024)
            head = 0
        } else if head >= 1_024 && head * 2 > records.count {
            records.removeSubrange(..<head)
            head = 0
        }
    }

    private func share(of header: RecordHeader) -> Int {
        guard header.isOfProgram else { return capacity + Self.ownCapacity }
        return switch header.level {
        case .debug, .info: capacity / 2
        case .notice: capacity / 4 * 3
        default: capacity
        }
    }
}
