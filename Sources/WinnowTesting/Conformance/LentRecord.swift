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
        var header = unsafe RecordHeader(
            category: Self.category(named: sample.category),
            level: sample.level
        )
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
        let texts = sample.fields.map(\.name) + sample.fields.map(\.value.lentText)
        let places = [sample.file, sample.function] + texts
        unsafe block = .allocate(byteCount: places.reduce(1) { $0 + $1.count }, alignment: 1)
        var lent = unsafe Self.place(places, in: block)
        unsafe content.file = lent.removeFirst()
        unsafe content.function = lent.removeFirst()
        for (index, field) in sample.fields.enumerated() {
            unsafe content.entries.append(
                RecordContent.Entry(
                    name: lent[index],
                    value: value(of: field, at: lent[sample.fields.count + index]),
                    isInMessage: false
                )
            )
        }
    }

    /// Copies the texts into the block, one behind the other; returns where they lie.
    private static func place(
        _ texts: [[UInt8]],
        in block: UnsafeMutableRawBufferPointer
    ) -> [UnsafeRawBufferPointer] {
        var start = 0
        // SAFETY: the block has room for all texts, and lives as long as what points into it.
        return unsafe texts.map { text in
            let place = unsafe UnsafeMutableRawBufferPointer(
                rebasing: block[start..<start + text.count]
            )
            unsafe place.copyBytes(from: text)
            start += text.count
            return UnsafeRawBufferPointer(place)
        }
    }

    /// Returns the value of a field, whose text lies in the block or is put behind the message.
    private func value(
        of field: ConformanceSample.Field,
        at text: UnsafeRawBufferPointer
    ) -> RecordContent.Value {
        switch field.value {
        case .text: return unsafe .text(text)
        case .rendered(let text):
            let offset = content.text.count
            content.text.append(text.span)
            return unsafe .rendered(offset: offset, count: text.count)
        case .integer(let number): return unsafe .integer(number)
        case .unsigned(let number): return unsafe .unsigned(number)
        case .double(let number): return unsafe .double(number)
        case .bool(let truth): return unsafe .bool(truth)
        case .null: return unsafe .null
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

    /// The cells of the categories, which are never freed: the checks have few names.
    private static let categories = Guarded<[[UInt8]: Cell]>([:])

    @safe
    private struct Cell: @unchecked Sendable {
        // SAFETY: the cell is never freed, and what of it is not atomic never changes.
        let pointer: UnsafeMutablePointer<cwinnow_cell>
    }

    private static func category(named name: [UInt8]) -> UnsafeMutablePointer<cwinnow_cell> {
        unsafe categories.withLock { categories in
            if let cell = categories[name] { return unsafe cell.pointer }
            let cell = unsafe Cell(pointer: makeCategory(name))
            categories[name] = cell
            return unsafe cell.pointer
        }
    }
}

extension ConformanceSample.Value {
    /// The text that a record is lent; empty where the value is none, or the record's own.
    fileprivate var lentText: [UInt8] {
        if case .text(let text) = self { text } else { [] }
    }
}
