// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// Lines of a stream that ends in the journal.
extension ByteBuffer {
    /// The longest line in bytes, below the 48 KiB at which journald cuts one by default.
    static let longestJournalLine = 40 * 1_024

    /// Appends the level as journald reads it in front of a line: `<3>`.
    mutating func append(prefix level: Level) {
        var cursor = unsafe cursor(withRoomFor: 3)
        unsafe cursor.put(prefix: level)
        unsafe setEnd(cursor)
    }

    /// Breaks the last line, which begins at the offset, into lines that journald does not cut,
    /// each with the level in front.
    mutating func breakLine(from start: Int, level: Level) {
        let line = withBytes { bytes in (start..<bytes.count).map { bytes[$0] } }
        truncate(to: start)
        var rest = line[...]
        while rest.count > Self.longestJournalLine {
            let end = Self.journalLineEnd(in: rest)
            append(Array(rest[..<end]).span)
            append(UInt8(ascii: "\n"))
            append(prefix: level)
            rest = rest[end...]
        }
        append(Array(rest).span)
    }

    /// Returns where the longest line ends that takes no character apart; what is not UTF-8 is cut
    /// where the line is as long as it may be.
    private static func journalLineEnd(in rest: ArraySlice<UInt8>) -> Int {
        let limit = rest.startIndex + longestJournalLine
        // A character of UTF-8 has at most three bytes behind its first.
        return (limit - 3...limit).last { rest[$0] & 0xC0 != 0x80 } ?? limit
    }
}

extension ByteCursor {
    /// Writes the same; takes room for three bytes.
    mutating func put(prefix level: Level) {
        unsafe put(UInt8(ascii: "<"))
        unsafe put(UInt8(ascii: "0") + level.rawValue)
        unsafe put(UInt8(ascii: ">"))
    }
}
