// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// How fields are written in a line of text: `name=value`.
///
/// A name keeps what it is written with, but for what would end it or do harm, which becomes `_`.
/// Numbers and truth values stand as they are. So does a text of harmless characters without
/// spaces, `=`, `"` and `\`; every other text, the empty one too, stands in double quotes.
struct FieldText {
    /// How a text between double quotes is written.
    var quotes = Escaping.quotes
    /// The word for a value that is absent.
    var null: StaticString = "nil"
    /// Whether names are dim on a terminal.
    var hasDimNames = false

    /// Appends the fields of a record that do not stand in its message, each after a space.
    func appendFieldsBesideMessage(of record: borrowing Record, to buffer: inout ByteBuffer) {
        for index in 0..<record.fieldCount {
            // SAFETY: the entries stay as they are while the record is lent.
            let entry = unsafe record.fieldEntries[index]
            guard unsafe !entry.isInMessage else { continue }
            buffer.append(UInt8(ascii: " "))
            appendName(unsafe entry.name.assumingMemoryBound(to: UInt8.self).span, to: &buffer)
            switch unsafe entry.value {
            case .integer(let number): buffer.append(decimal: number)
            case .unsigned(let number): buffer.append(decimal: number)
            case .double(let number): buffer.append(shortest: number)
            case .bool(let truth): buffer.append(truth ? "true" : "false" as StaticString)
            case .null: buffer.append(null)
            case .text, .rendered, .json:
                let text = unsafe record.textBytes(of: entry.value)
                appendText(unsafe text.assumingMemoryBound(to: UInt8.self).span, to: &buffer)
            }
        }
    }

    /// Appends fields of a record with spaces between them.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - hasAll: Whether those that stand in its message are among them.
    ///   - buffer: The buffer.
    func appendFields(of record: borrowing Record, hasAll: Bool, to buffer: inout ByteBuffer) {
        guard record.fieldCount > 0 else { return }
        let start = buffer.count
        record.forEachFieldSpan { name, value, text, isInMessage in
            guard hasAll || !isInMessage else { return }
            if buffer.count > start { buffer.append(UInt8(ascii: " ")) }
            appendName(name, to: &buffer)
            appendValue(value, text: text, to: &buffer)
        }
    }

    /// Appends a name, the number that tells it from others of its name, and `=`.
    @inline(__always)
    func appendName(
        _ name: Span<UInt8>,
        ordinal: UInt64? = nil,
        to buffer: inout ByteBuffer
    ) {
        if hasDimNames { buffer.append(TerminalStyle.dim) }
        if name.isEmpty { buffer.append(UInt8(ascii: "_")) }
        buffer.appendInline(name, escaping: .name)
        if let ordinal {
            buffer.append(UInt8(ascii: "_"))
            buffer.append(decimal: ordinal)
        }
        buffer.append(UInt8(ascii: "="))
        if hasDimNames { buffer.append(TerminalStyle.reset) }
    }

    /// Appends a value.
    func appendValue(
        _ value: FieldContent,
        text: Span<UInt8>,
        to buffer: inout ByteBuffer
    ) {
        switch value {
        case .text, .json: appendText(text, to: &buffer)
        case .integer(let number): buffer.append(decimal: number)
        case .unsigned(let number): buffer.append(decimal: number)
        case .double(let number): buffer.append(shortest: number)
        case .bool(let truth): buffer.append(truth ? "true" : "false" as StaticString)
        case .null: buffer.append(null)
        }
    }

    /// Appends a text, in quotes where it needs them.
    func appendText(_ text: Span<UInt8>, to buffer: inout ByteBuffer) {
        // What may stand in a name may stand in a value without quotes.
        let start = buffer.count
        let plain = buffer.appendHarmless(text, escaping: .name)
        if plain == text.count, plain > 0 { return }
        buffer.truncate(to: start)
        // ASCII that is not harmless does harm in itself; of other characters most do none.
        if plain < text.count, text[plain] >= 0x80, Escaping.name.allows(text) {
            buffer.append(text)
            return
        }
        buffer.append(UInt8(ascii: "\""))
        buffer.append(text, escaping: quotes)
        buffer.append(UInt8(ascii: "\""))
    }
}
