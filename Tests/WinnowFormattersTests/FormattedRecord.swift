// SPDX-License-Identifier: Apache-2.0

import Glibc
import WinnowCore
import WinnowTesting

/// Returns the bytes that a formatter appends for a record.
func bytes(of record: borrowing Record, by formatter: some Formatter) -> [UInt8] {
    var buffer = ByteBuffer()
    formatter.format(record, into: &buffer)
    return contents(of: buffer)
}

/// Returns the bytes that a buffer holds.
func contents(of buffer: borrowing ByteBuffer) -> [UInt8] {
    buffer.withBytes { span in span.indices.map { span[$0] } }
}

/// Returns what a formatter appends for a record; nil where it is not UTF-8.
func text(of record: borrowing Record, by formatter: some Formatter) -> String? {
    String(validating: bytes(of: record, by: formatter), as: UTF8.self)
}

/// Lends a record whose texts are any bytes, as those that other programs print are.
func withRecord<Result>(
    messageBytes: [UInt8],
    fields: [(name: [UInt8], value: [UInt8])] = [],
    level: Level = .notice,
    category: String = "",
    _ body: (borrowing Record) -> Result
) -> Result {
    withRecord("", level: level, category: category) { model in
        var content = RecordContent()
        content.text.append(messageBytes.span)
        content.messageLength = messageBytes.count
        let names = fields.flatMap { $0.name }
        for field in fields {
            content.text.append(field.value.span)
        }
        // SAFETY: the names are read only while the closure holds their memory.
        return unsafe names.withUnsafeBytes { names in
            var nameStart = 0
            var valueStart = messageBytes.count
            for field in fields {
                unsafe content.entries.append(
                    RecordContent.Entry(
                        name: UnsafeRawBufferPointer(
                            rebasing: names[nameStart..<nameStart + field.name.count]
                        ),
                        value: .rendered(offset: valueStart, count: field.value.count),
                        isInMessage: false
                    )
                )
                nameStart += field.name.count
                valueStart += field.value.count
            }
            return Record.withRecord(header: model.header, content: content, body)
        }
    }
}

/// Sets the time zone of a process that exits with the test.
func setTimeZone(_ zone: String) {
    unsafe setenv("TZ", zone, 1)
    // localtime_r(3) need not look at the variable again.
    tzset()
}
