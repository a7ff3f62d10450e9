// SPDX-License-Identifier: Apache-2.0

public import WinnowCore

/// Writes a record as one JSON object in one line.
///
/// ```
/// {"time":"2026-11-21T09:30:15.123456Z","level":"notice","category":"net",
///  "message":"listening on example.org:80","fields":{"host":"example.org","port":80},
///  "file":"Server/Main.swift","line":42,"function":"start()","module":"Server",
///  "thread":12,"process":10,"run":"9f3c01aa","sequence":1,"level_sequence":1}
/// ```
/// (Here broken into four lines.) The members always have this order; `category` is left out
/// where it is empty, `fields` where there are none, and `file` to `module` where the place of the
/// call is unknown.
///
/// `fields` holds all fields in the order of the call, those that stand in the message too. Their
/// names are as the code wrote them; of several fields with one name, those after the first get
/// `_2`, `_3` and so on, because most parsers keep one member of a name. Numbers, truth values and
/// null keep their type. Integers have all their digits, even those beyond 2⁵³ that a reader may
/// round. A floating-point number has the fewest digits that read back as itself; what JSON has no
/// number for becomes the text `"NaN"`, `"Infinity"` or `"-Infinity"`.
///
/// Texts are written as ``Escaping/json`` says: the line is UTF-8, and harmless on a terminal.
///
/// Source: RFC 8259.
public struct JSONFormatter: Formatter {
    /// Creates a formatter.
    ///
    /// MT-Safe, AS-Safe.
    public init() {}

    /// Appends the record as one line.
    ///
    /// Any thread may call it, but not a signal handler: the buffer may grow.
    public func format(_ record: borrowing Record, into buffer: inout ByteBuffer) {
        buffer.append("{\"time\":\"")
        buffer.append(rfc3339: record.timestamp)
        buffer.append("\",\"level\":\"")
        buffer.append(record.level.name)
        buffer.append(UInt8(ascii: "\""))
        record.withCategory { category in
            guard !category.isEmpty else { return }
            buffer.append(",\"category\":")
            appendString(category, to: &buffer)
        }
        buffer.append(",\"message\":\"")
        record.appendMessage(to: &buffer, escaping: .json)
        buffer.append(UInt8(ascii: "\""))
        appendFields(of: record, to: &buffer)
        appendLocation(of: record, to: &buffer)
        buffer.append(",\"thread\":")
        buffer.append(decimal: Int64(record.threadID))
        buffer.append(",\"process\":")
        buffer.append(decimal: Int64(record.processID))
        buffer.append(",\"run\":\"")
        buffer.append(hexadecimal: record.run)
        buffer.append("\",\"sequence\":")
        buffer.append(decimal: record.sequence)
        buffer.append(",\"level_sequence\":")
        buffer.append(decimal: record.levelSequence)
        buffer.append("}\n")
    }

    private func appendFields(of record: borrowing Record, to buffer: inout ByteBuffer) {
        guard record.fieldCount > 0 else { return }
        var names = FieldNames(isCleaned: false)
        var separator: StaticString = ",\"fields\":{\""
        record.forEachFieldSpan { name, value, text, _ in
            buffer.append(separator)
            separator = ",\""
            buffer.append(name, escaping: .json)
            if let ordinal = names.nextOrdinal(for: name, in: record) {
                buffer.append(UInt8(ascii: "_"))
                buffer.append(decimal: ordinal)
            }
            buffer.append("\":")
            appendValue(value, text: text, to: &buffer)
        }
        buffer.append(UInt8(ascii: "}"))
    }

    private func appendLocation(of record: borrowing Record, to buffer: inout ByteBuffer) {
        let line = record.header.line
        record.withLocation { file, function, module in
            buffer.append(",\"file\":")
            appendString(file, to: &buffer)
            buffer.append(",\"line\":")
            buffer.append(decimal: UInt64(line))
            buffer.append(",\"function\":")
            appendString(function, to: &buffer)
            buffer.append(",\"module\":")
            appendString(module, to: &buffer)
        }
    }

    /// Appends the value of a field.
    func appendValue(
        _ value: FieldContent,
        text: Span<UInt8>,
        to buffer: inout ByteBuffer
    ) {
        switch value {
        case .text: appendString(text, to: &buffer)
        case .integer(let number): buffer.append(decimal: number)
        case .unsigned(let number): buffer.append(decimal: number)
        case .double(let number): appendNumber(number, to: &buffer)
        case .bool(let truth): buffer.append(truth ? "true" : "false" as StaticString)
        case .null: buffer.append("null")
        case .json: buffer.append(json: text)
        }
    }

    private func appendNumber(_ number: Double, to buffer: inout ByteBuffer) {
        if number.isFinite {
            // Swift writes `0.1`, `1e+16` and `5e-324`: all of them numbers in JSON.
            buffer.append(shortest: number)
        } else if number.isNaN {
            buffer.append("\"NaN\"")
        } else {
            buffer.append(number < 0 ? "\"-Infinity\"" : "\"Infinity\"" as StaticString)
        }
    }

    private func appendString(_ text: Span<UInt8>, to buffer: inout ByteBuffer) {
        buffer.append(UInt8(ascii: "\""))
        buffer.append(text, escaping: .json)
        buffer.append(UInt8(ascii: "\""))
    }
}
