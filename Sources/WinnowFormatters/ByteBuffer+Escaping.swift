// SPDX-License-Identifier: Apache-2.0

public import WinnowCore

extension ByteBuffer {
    /// Appends bytes that should be UTF-8, and makes harmful ones harmless.
    ///
    /// Whatever the bytes are, what is appended is UTF-8 without any control character: it neither
    /// ends a line nor begins a command of a terminal.
    public mutating func append(_ bytes: Span<UInt8>, escaping: Escaping) {
        // The bytes from `start` to `index` are harmless and wait to be appended at once.
        var start = 0
        var index = escaping.firstSuspect(in: bytes, from: 0)
        while index < bytes.count {
            let unit = UTF8Unit(at: index, in: bytes)
            let end = index + unit.count
            if unit.isHarmful(in: escaping) {
                append(bytes.extracting(start..<index))
                appendEscaped(unit, of: bytes.extracting(index..<end), escaping: escaping)
                start = end
            }
            index = escaping.firstSuspect(in: bytes, from: end)
        }
        append(start == 0 ? bytes : bytes.extracting(start..<bytes.count))
    }

    /// Appends a text, and makes harmful characters harmless.
    public mutating func append(_ text: String, escaping: Escaping) {
        append(text.utf8.span, escaping: escaping)
    }

    private mutating func appendEscaped(
        _ unit: UTF8Unit,
        of bytes: Span<UInt8>,
        escaping: Escaping
    ) {
        guard escaping != .name else {
            append(UInt8(ascii: "_"))
            return
        }
        guard let scalar = unit.scalar else {
            appendInvalid(bytes, escaping: escaping)
            return
        }
        switch scalar {
        case 0x09: append("\\t")
        case 0x0A: append("\\n")
        case 0x0D: append("\\r")
        case 0x22: append("\\\"")
        case 0x5C: append("\\\\")
        default:
            // All that is harmful lies below U+10000: JSON needs no surrogates.
            append(escaping == .json ? "\\u" : "\\u{" as StaticString)
            append(digitsOf: UInt64(scalar), radix: 16, atLeast: escaping == .json ? 4 : 1)
            if escaping != .json { append(UInt8(ascii: "}")) }
        }
    }

    /// Appends what stands for bytes that are not UTF-8.
    private mutating func appendInvalid(_ bytes: Span<UInt8>, escaping: Escaping) {
        guard escaping != .json else {
            append("\u{FFFD}")
            return
        }
        for index in bytes.indices {
            append("\\x")
            append(digitsOf: UInt64(bytes[index]), radix: 16, atLeast: 2)
        }
    }
}

extension Record {
    /// Appends the message, and makes harmful characters harmless.
    public func appendMessage(to buffer: inout ByteBuffer, escaping: Escaping) {
        withMessageSpan { buffer.append($0, escaping: escaping) }
    }
}
