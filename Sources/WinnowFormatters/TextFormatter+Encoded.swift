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
        let header = unsafe record.header
        guard !levelPrefix, !color, !location, let column = unsafe header.pointee.category.column
        else { return false }
        var head = unsafe buffer.cursor(withRoomFor: Self.lineByteCount)
        if time != .none {
            unsafe put(header.pointee.timestamp, at: &head, second: &buffer.second)
        }
        unsafe head.put(column: header.pointee.level)
        unsafe head.put(column: column)
        var line = unsafe PlainLine(at: head, arguments: record.arguments)
        guard unsafe line.putItems() else { return false }
        unsafe line.cursor.put(UInt8(ascii: "\n"))
        unsafe buffer.setEnd(line.cursor)
        return true
    }

    /// The room for a line that is not decoded, at least: for a longer one there may be less.
    private static let lineByteCount = 1_024
}
