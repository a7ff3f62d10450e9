// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// What waited for a sink when the process died: see `cwinnow_recorder_queue`.
package struct RecordedQueue: Sendable {
    /// The name of the sink.
    package let name: String
    /// Where the records lie in the file, header and arguments, oldest first.
    package let records: [Range<Int>]
    /// The bytes of what waited and is damaged.
    package let damagedByteCount: Int
    /// What the sink had lost and was not told of.
    let losses: [RecordedRemains.Loss]

    /// Reads a region of a file; nil where it is too small for one.
    package init?(_ region: RecordedFile.Region, in file: RecordedFile) {
        let start = region.range.lowerBound
        let base = start + Int(cwinnow_recorder_unit)
        guard region.kind == cwinnow_region_queue, base < region.range.upperBound else {
            return nil
        }
        let length: UInt32 = file.bytes.number(\cwinnow_recorder_queue.name_length, at: start)
        let place = start + (MemoryLayout<cwinnow_recorder_queue>.offset(of: \.name) ?? 0)
        let room = file.bytes[place...].prefix(Int(cwinnow_recorder_path_capacity))
        name = String(decoding: room.prefix(Int(clamping: length)), as: UTF8.self)
        var walk = QueueWalk(
            file: file,
            memory: base..<region.range.upperBound,
            position: file.bytes.number(\cwinnow_recorder_queue.head, at: start),
            end: file.bytes.number(\cwinnow_recorder_queue.tail, at: start)
        )
        records = walk.records()
        damagedByteCount = walk.damagedByteCount
        losses = Self.losses(at: start, of: name, in: file)
    }

    private static func losses(
        at start: Int,
        of sink: String,
        in file: RecordedFile
    ) -> [RecordedRemains.Loss] {
        typealias Losses = cwinnow_recorder_losses
        let count: UInt64 = file.bytes.number(\cwinnow_recorder_queue.losses_count, at: start)
        let first = MemoryLayout<cwinnow_recorder_queue>.offset(of: \.losses) ?? 0
        let place = start + first + Int(count % 2) * MemoryLayout<Losses>.stride
        func number(_ field: KeyPath<Losses, UInt64>, _ level: Int = 0) -> UInt64 {
            file.bytes.number(field, at: place + 8 * level)
        }
        return (0..<8).compactMap { level in
            RecordedRemains.Loss(
                level: UInt8(level),
                count: number(\.count.0, level),
                numbers: (number(\.first_of_all), number(\.last_of_all)),
                levelNumbers: (number(\.first.0, level), number(\.last.0, level)),
                times: (number(\.from), number(\.until)),
                sink: sink
            )
        }
    }
}

/// Goes through the pieces of a queue's memory.
private struct QueueWalk {
    let file: RecordedFile
    let memory: Range<Int>
    var position: UInt64
    let end: UInt64
    /// The bytes that are in no piece.
    var damagedByteCount = 0

    private static let filler: UInt64 = 1 &<< 63
    private static let wordByteCount = 8

    /// Returns where the records lie.
    ///
    /// Where something is damaged, it goes on with the next piece whose record has the header of one.
    mutating func records() -> [Range<Int>] {
        let unit = UInt64(Self.wordByteCount)
        // The process died as it showed that it begins anew.
        if position > end, position - end <= UInt64(memory.count) { return [] }
        guard position % unit == 0, end % unit == 0, end >= position,
            end - position <= UInt64(memory.count)
        else {
            // Where they lie is not known any more.
            damagedByteCount = memory.count
            return []
        }
        var records: [Range<Int>] = []
        while position < end {
            guard let piece = piece() else {
                damagedByteCount += Self.wordByteCount
                position += UInt64(Self.wordByteCount)
                continue
            }
            if let record = piece.record { records.append(record) }
            position += UInt64(piece.byteCount)
        }
        return records
    }

    /// The piece at the position, and its record, which a filler has none of; nil where there is none.
    private func piece() -> (byteCount: Int, record: Range<Int>?)? {
        let offset = Int(position % UInt64(memory.count))
        let place = memory.lowerBound + offset
        let rest = memory.count - offset
        let most = min(UInt64(rest), end - position)
        guard most >= UInt64(Self.wordByteCount) else { return nil }
        let word: UInt64 = file.bytes.integer(at: place)
        guard word & Self.filler == 0 else {
            return word & ~Self.filler == UInt64(rest) && UInt64(rest) <= most ? (rest, nil) : nil
        }
        guard word % UInt64(Self.wordByteCount) == 0, word <= most,
            word >= UInt64(Self.wordByteCount)
        else { return nil }
        let record = place + Self.wordByteCount..<place + Int(word)
        let call = record.lowerBound + RecordHeader.callOffset
        guard record.count > RecordHeader.byteCount,
            file.bytes.integer(at: call) as UInt64 == UInt64(record.count),
            RecordedHeader(at: call, in: file) != nil
        else { return nil }
        return (Int(word), record)
    }
}
