// SPDX-License-Identifier: Apache-2.0

public import WinnowCore

/// Writes a record as one line of `name=value` pairs that both people and programs read.
///
/// ```
/// time=2026-11-21T09:30:15.123456Z level=notice category=net msg="listening on a:80" port=80
/// ```
/// `category` is left out where it is empty. All fields follow in the order of the call, those
/// that stand in the message too. In their names a space, `=`, `"`, `\` and what is harmful become
/// `_`; of several fields with one name, those after the first get `_2`, `_3` and so on, and so do
/// fields that are named `time`, `level`, `category` or `msg`.
///
/// A text stands in double quotes where it is empty or holds one of those characters. Inside them
/// it is written as ``Escaping/json`` says, which is what parsers of logfmt expect. An absent value
/// is `null`, as there.
public struct LogfmtFormatter: Formatter {
    private static let reserved: [StaticString] = ["time", "level", "category", "msg"]

    /// Creates a formatter.
    ///
    /// MT-Safe, AS-Safe.
    public init() {}

    /// Appends the record as one line.
    ///
    /// Any thread may call it, but not a signal handler: the buffer may grow.
    public func format(_ record: borrowing Record, into buffer: inout ByteBuffer) {
        let fields = FieldText(quotes: .json, null: "null")
        buffer.append("time=")
        buffer.append(rfc3339: record.timestamp)
        buffer.append(" level=")
        buffer.append(record.level.name)
        record.withCategory { category in
            guard !category.isEmpty else { return }
            buffer.append(" category=")
            fields.appendText(category, to: &buffer)
        }
        buffer.append(" msg=")
        record.withMessageSpan { fields.appendText($0, to: &buffer) }
        if record.fieldCount > 0 {
            var names = FieldNames(reserved: Self.reserved, isCleaned: true)
            record.forEachFieldSpan { name, value, text, _ in
                let ordinal = names.nextOrdinal(for: name, in: record)
                buffer.append(UInt8(ascii: " "))
                fields.appendName(name, ordinal: ordinal, to: &buffer)
                fields.appendValue(value, text: text, to: &buffer)
            }
        }
        buffer.append(UInt8(ascii: "\n"))
    }
}
