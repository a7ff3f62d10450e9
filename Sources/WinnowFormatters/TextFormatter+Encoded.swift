// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
package import WinnowCore

/// Lines of records that are not decoded.
extension TextFormatter {
    /// Appends a record by its encoding, as one line: the same that ``format(_:into:)`` makes of it, in
    /// one pass.
    ///
    /// Returns false, and appends nothing, where the record must be decoded, as a few must.
    package func format(_ record: EncodedRecord, into buffer: inout ByteBuffer) -> Bool {
        guard !levelPrefix, !color, !location else { return false }
        var head = unsafe buffer.cursor(withRoomFor: Self.lineByteCount)
        let header = unsafe record.header
        if time != .none {
            unsafe put(header.pointee.timestamp, at: &head, second: &buffer.second)
        }
        if unsafe buffer.label.isOf(header) {
            unsafe head.put(buffer.label)
        } else {
            guard let end = unsafe buffer.label.renew(header, at: head) else { return false }
            unsafe head = unsafe end
        }
        var line = unsafe PlainLine(at: head, arguments: record.arguments)
        guard unsafe line.putItems() else { return false }
        unsafe line.cursor.put(UInt8(ascii: "\n"))
        unsafe buffer.setEnd(line.cursor)
        return true
    }

    /// The room for a line that is not decoded, at least: for a longer one there may be less.
    private static let lineByteCount = 1_024
}

extension LabelText {
    /// Whether it is the text of the record's level and category.
    @inline(__always)
    fileprivate func isOf(_ header: UnsafePointer<RecordHeader>) -> Bool {
        unsafe category == UInt(bitPattern: header.pointee.category)
            && level == header.pointee.level.rawValue
    }

    /// Writes the text of the record's level and category, and keeps it where it is short; returns where
    /// it ends, nil where it is not harmless.
    @inline(never)
    fileprivate mutating func renew(
        _ header: UnsafePointer<RecordHeader>,
        at start: ByteCursor
    ) -> ByteCursor? {
        var head = unsafe start
        unsafe head.put(column: header.pointee.level)
        let cell = unsafe header.pointee.category
        let length = unsafe Int(cell.pointee.name_length)
        if length > 0 {
            unsafe head.put(UInt8(ascii: "["))
            let name = unsafe UnsafeRawBufferPointer(start: cell.pointee.name, count: length)
            guard unsafe head.put(harmlessLine: name) else { return nil }
            unsafe head.put("] ")
        }
        let written = unsafe head.position - start.position
        guard written <= MemoryLayout.size(ofValue: words) else { return unsafe head }
        category = UInt(bitPattern: cell)
        level = unsafe header.pointee.level.rawValue
        count = written
        // SAFETY: there is room for a line behind the beginning, and any bytes are words.
        unsafe withUnsafeMutableBytes(of: &words) { words in
            let text = unsafe UnsafeRawBufferPointer(start: start.position, count: words.count)
            unsafe words.copyMemory(from: text)
        }
        return unsafe head
    }
}

extension ByteCursor {
    /// Writes a label; takes room for its words.
    @inline(__always)
    fileprivate mutating func put(_ label: LabelText) {
        let end = unsafe self
        unsafe put(word: UInt64(littleEndian: label.words.0))
        unsafe put(word: UInt64(littleEndian: label.words.1))
        unsafe put(word: UInt64(littleEndian: label.words.2))
        unsafe put(word: UInt64(littleEndian: label.words.3))
        unsafe self = unsafe end
        unsafe skip(label.count)
    }
}
