// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore
internal import WinnowFormatters

/// Writes the structured data of one message of syslog.
///
/// Source: RFC 5424, section 6.3.
struct StructuredData {
    /// The longest name of an element or of a parameter in bytes.
    static let nameByteCount = 32

    /// How often each name of the element was asked for, in lower case: rsyslog's variables tell no
    /// `a` from an `A`.
    private var names: [[UInt8]: Int] = [:]

    /// Appends a parameter whose name is legal.
    func append(
        _ name: StaticString,
        _ value: FieldContent,
        text: Span<UInt8> = Span(),
        to buffer: inout ByteBuffer
    ) {
        buffer.append(UInt8(ascii: " "))
        buffer.append(name)
        appendValue(value, text: text, to: &buffer)
    }

    /// Appends a parameter of a field, by the name made legal.
    ///
    /// What is no printable ASCII, or is a space, `=`, `]` or `"`, becomes `_`, one for a character;
    /// what exceeds 32 bytes is cut; nothing is `_`. A name that another field of the element has
    /// already, in whichever case, gets a number, for which it is cut as well: `path_2`.
    mutating func append(
        field name: Span<UInt8>,
        _ value: FieldContent,
        text: Span<UInt8>,
        to buffer: inout ByteBuffer
    ) {
        buffer.append(UInt8(ascii: " "))
        appendName(name, to: &buffer)
        appendValue(value, text: text, to: &buffer)
    }

    private mutating func appendName(_ name: Span<UInt8>, to buffer: inout ByteBuffer) {
        let start = buffer.count
        buffer.append(word: name, atMost: Self.nameByteCount) { byte in
            switch byte {
            case UInt8(ascii: "="), UInt8(ascii: "]"), UInt8(ascii: "\""): false
            default: 0x21...0x7E ~= byte
            }
        }
        if buffer.count == start { buffer.append(UInt8(ascii: "_")) }
        let base = buffer.lowercased(from: start)
        var number = names[base, default: 0] + 1
        var name = base
        while number > 1 {
            buffer.truncate(
                to: start + min(base.count, Self.nameByteCount - 1 - digits(of: number))
            )
            buffer.append(UInt8(ascii: "_"))
            buffer.append(decimal: UInt64(number))
            name = buffer.lowercased(from: start)
            guard names[name] != nil else { break }
            number += 1
        }
        names[base] = number
        if name != base { names[name] = 1 }
    }

    private func digits(of number: Int) -> Int {
        number < 10 ? 1 : number < 100 ? 2 : number < 1_000 ? 3 : 19
    }

    private func appendValue(
        _ value: FieldContent,
        text: Span<UInt8>,
        to buffer: inout ByteBuffer
    ) {
        buffer.append("=\"")
        switch value {
        case .text, .json: buffer.append(parameterValue: text)
        case .integer(let number): buffer.append(decimal: number)
        case .unsigned(let number): buffer.append(decimal: number)
        case .double(let number): buffer.append(shortest: number)
        case .bool(let truth): buffer.append(truth ? "true" : "false" as StaticString)
        case .null: buffer.append("null")
        }
        buffer.append(UInt8(ascii: "\""))
    }
}

extension ByteBuffer {
    /// Appends a text as the value of a parameter: harmless as ``Escaping/line`` makes it, and then
    /// with a backslash before `"`, `\` and `]`.
    ///
    /// Source: RFC 5424, section 6.3.3.
    mutating func append(parameterValue text: Span<UInt8>) {
        if Escaping.quotes.allows(text), text.indices.allSatisfy({ text[$0] != UInt8(ascii: "]") })
        {
            append(text)
            return
        }
        var harmless = ByteBuffer(capacity: text.count)
        harmless.append(text, escaping: .line)
        harmless.withBytes { bytes in
            for index in bytes.indices {
                switch bytes[index] {
                case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "]"):
                    append(UInt8(ascii: "\\"))
                default: break
                }
                append(bytes[index])
            }
        }
    }

    /// Appends a word, with `_` for each character that is not ASCII or not allowed, and cut where it
    /// is longer.
    mutating func append(word: Span<UInt8>, atMost limit: Int, allowing isAllowed: (UInt8) -> Bool)
    {
        let end = count + limit
        var isInsideCharacter = false
        for index in word.indices where count < end {
            let byte = word[index]
            if byte & 0xC0 == 0x80, isInsideCharacter { continue }
            isInsideCharacter = byte >= 0x80
            append(byte < 0x80 && isAllowed(byte) ? byte : UInt8(ascii: "_"))
        }
    }

    /// Returns the bytes from the offset on, with `a` to `z` for `A` to `Z`.
    fileprivate borrowing func lowercased(from start: Int) -> [UInt8] {
        withBytes { bytes in
            (start..<bytes.count).map { index in
                UInt8(ascii: "A")...UInt8(ascii: "Z") ~= bytes[index]
                    ? bytes[index] | 0x20 : bytes[index]
            }
        }
    }
}
