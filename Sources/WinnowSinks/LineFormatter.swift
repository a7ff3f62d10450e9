// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore
internal import WinnowFormatters

/// A sink's formatter, which calls the usual one directly: a dynamic call through the protocol costs as
/// much as writing a time.
struct LineFormatter {
    private let text: TextFormatter?
    private let other: any Formatter
    /// Whether its lines hold the numbers of the records, as `winnow verify` reads them.
    let isNumbered: Bool

    init(_ formatter: any Formatter) {
        text = formatter as? TextFormatter
        isNumbered = ((formatter as? BoundedFormatter)?.base ?? formatter) is JSONFormatter
        other = formatter
    }

    @inline(__always)
    func format(_ record: borrowing Record, into buffer: inout ByteBuffer) {
        if let text {
            text.format(record, into: &buffer)
        } else {
            other.format(record, into: &buffer)
        }
    }

    /// Appends a record by its encoding; returns false, and appends nothing, where it must be decoded.
    @inline(__always)
    func format(_ record: EncodedRecord, into buffer: inout ByteBuffer) -> Bool {
        guard let text else { return false }
        return unsafe text.format(record, into: &buffer)
    }
}
