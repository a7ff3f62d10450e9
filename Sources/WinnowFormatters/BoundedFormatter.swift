// SPDX-License-Identifier: Apache-2.0

public import WinnowCore

/// Bounds the bytes that another formatter makes of a record, for a destination that splits or drops what
/// is longer.
///
/// ```swift
/// BoundedFormatter(JSONFormatter(), byteCount: 16_384)
/// ```
/// Container runtimes split a line at 16 KiB, and no piece of it is JSON. What is too long is therefore cut
/// before it is formatted, so that the line is whole in every format:
///
/// - The longest texts are cut, those of the message and of fields, to one length that makes the record
///   fit. Each keeps its beginning and, for a quarter of what is left, its end. Between the two stands what
///   is missing: `… [23456 bytes cut] …`. Numbers, and texts that are shorter, stay as they are. Of an array or
///   a dictionary, its JSON is the text: one that is cut is a string.
/// - Where texts of 64 bytes are still too long, the last fields are left out, and the field
///   `omitted_fields` says how many.
/// - The name of the category, those of fields and the place of the call are cut to that length as well.
///
/// A record that fits is formatted as without a bound, at no cost but the call. One that does not is formatted
/// some ten times.
///
/// Only what does not come from the record can make it longer, such as the texts of a pattern. Messages of
/// ``NetworkSyslogFormatter`` are cut in this way without it.
public struct BoundedFormatter: Formatter {
    /// The smallest bound.
    public static let leastByteCount = 1_024

    /// The most bytes of a record, its line feed included.
    public let byteCount: Int
    package let base: any Formatter

    /// Creates a formatter.
    ///
    /// MT-Safe, AS-Unsafe heap.
    ///
    /// - Parameters:
    ///   - base: Makes the bytes of a record.
    ///   - byteCount: The most bytes of a record, from 1 024: what is less is taken for that.
    public init(_ base: any Formatter, byteCount: Int) {
        self.base = base
        self.byteCount = max(byteCount, Self.leastByteCount)
    }

    /// Appends the record, cut where it is too long.
    ///
    /// Any thread may call it if it may call the other formatter; not a signal handler, as memory is
    /// allocated.
    public func format(_ record: borrowing Record, into buffer: inout ByteBuffer) {
        buffer.append(record, atMost: byteCount) { record, buffer in
            base.format(record, into: &buffer)
        }
    }
}

extension ByteBuffer {
    /// Appends what the body makes of a record, or of a copy with shorter texts where that is longer
    /// than so many bytes.
    package mutating func append(
        _ record: borrowing Record,
        atMost byteCount: Int,
        _ format: (borrowing Record, inout ByteBuffer) -> Void
    ) {
        let start = count
        format(record, &self)
        if count - start > byteCount { shorten(record, from: start, to: byteCount, format) }
    }

    @inline(never)
    private mutating func shorten(
        _ record: borrowing Record,
        from start: Int,
        to byteCount: Int,
        _ format: (borrowing Record, inout ByteBuffer) -> Void
    ) {
        let least = Record.tellingByteCount
        /// Appends a copy in the place of the last one; returns whether it fits.
        func fits(_ limit: Int, _ fieldCount: Int) -> Bool {
            truncate(to: start)
            record.withTexts(atMost: limit, fieldCount: fieldCount) { format($0, &self) }
            return count - start <= byteCount
        }
        let all = record.fieldCount
        if fits(least, all) {
            // A 64th of the length is not worth another copy.
            let limit = largest(from: least, below: byteCount, step: byteCount / 64) {
                fits($0, all)
            }
            _ = fits(limit, all)
        } else if fits(least, 0) {
            let kept = largest(from: 0, below: all, step: 1) { fits(least, $0) }
            _ = fits(least, kept)
        } else {
            let limit = largest(from: 0, below: least, step: 1) { fits($0, 0) }
            _ = fits(limit, 0)
        }
    }
}

/// Returns the largest number that fits, or one that is smaller by less than the step: the first is taken to
/// fit, and the last not to.
private func largest(from first: Int, below last: Int, step: Int, _ fits: (Int) -> Bool) -> Int {
    var (low, high) = (first, last)
    while high - low > step {
        let middle = low + (high - low) / 2
        if fits(middle) { low = middle } else { high = middle }
    }
    return low
}
