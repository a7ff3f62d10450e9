// SPDX-License-Identifier: Apache-2.0

package import WinnowCore

/// Puts the level in front of another formatter's lines, for a stream that ends in the journal.
///
/// As ``TextFormatter/levelPrefix`` does, for JSON and logfmt.
package struct LevelPrefixFormatter: Formatter {
    private let base: any Formatter

    /// Creates a formatter around one that writes a line a record.
    package init(_ base: any Formatter) {
        self.base = base
    }

    /// Appends the record as one line, or as more where journald would cut it.
    package func format(_ record: borrowing Record, into buffer: inout ByteBuffer) {
        let start = buffer.count
        buffer.append(prefix: record.level)
        base.format(record, into: &buffer)
        guard buffer.count - start > ByteBuffer.longestJournalLine else { return }
        buffer.breakLine(from: start, level: record.level)
    }
}
