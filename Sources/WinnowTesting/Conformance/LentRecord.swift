// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// A record of any bytes that is lent to a sink, and overwritten when the call has returned.
///
/// A sink that reads it later finds neither what it was lent nor freed memory, for as long as this
/// object is kept.
@safe
final class LentRecord {
    // SAFETY: the block is this object's own, and the content points into it.
    /// What the memory holds afterwards: no text, and no UTF-8.
    private static let poison: UInt8 = 0xDB

    private let block: UnsafeMutableRawBufferPointer
    private var content = RecordContent()
    private let header: RecordHeader

    /// Creates the record of a sample; the time is in nanoseconds since 1970.
    init(_ sample: ConformanceSample, timestamp: UInt64 = cwinnow_clock_realtime()) {
        var header = unsafe RecordHeader(category: Self.category, level: sample.level)
        header.timestamp = timestamp
        header.sequence = UInt64(sample.number)
        header.levelSequence = UInt64(sample.number)
        header.run = 1
        header.line = 1
        header.threadID = cwinnow_thread_id()
        header.processID = cwinnow_process_id()
        self.header = header
        content.text.append(sample.message.span)
        content.messageLength = sample.message.count
        let texts = sample.fields.flatMap { [$0.name, $0.value] }
        unsafe block = .allocate(byteCount: texts.reduce(1) { $0 + $1.count }, alignment: 1)
        var start = 0
        // SAFETY: the block has room for all texts, and lives as long as the entries that point
        // into it.
        let places = unsafe texts.map { text in
            let place = unsafe UnsafeMutableRawBufferPointer(
                rebasing: block[start..<start + text.count]
            )
            unsafe place.copyBytes(from: text)
            start += text.count
            return UnsafeRawBufferPointer(place)
        }
        for index in sample.fields.indices {
            unsafe content.entries.append(
                RecordContent.Entry(
                    name: places[2 * index],
                    value: .text(places[2 * index + 1]),
                    isInMessage: false
                )
            )
        }
    }

    deinit {
        unsafe block.deallocate()
    }

    /// Lends the record to the body.
    func lend<Result, Failure: Error>(
        _ body: (borrowing Record) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try Record.withRecord(header: header, content: content, body)
    }

    /// Overwrites all texts of the record.
    func destroy() {
        unsafe block.initializeMemory(as: UInt8.self, repeating: Self.poison)
        let poison = [UInt8](repeating: Self.poison, count: content.text.count)
        unsafe poison.withUnsafeBytes { unsafe content.text.replace(at: 0, with: $0) }
    }

    /// The category of all records that the checks make.
    nonisolated(unsafe) private static let category = unsafe makeCategory("conformance")
}
