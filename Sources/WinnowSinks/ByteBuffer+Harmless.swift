// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

extension ByteBuffer {
    /// Appends a text with its control characters and what is not UTF-8 made visible.
    ///
    /// C0 but for tab, and line feed where it is kept, DEL, C1, the line and paragraph separators
    /// and what turns the direction of writing become `\n`, `\r` or `\u{1b}`; bytes that are not
    /// UTF-8 become `\xff`. The notation is that of the text formats.
    ///
    /// Source: specs study, section 7.2; Unicode Standard Annex 9, section 2.
    package mutating func appendHarmless(
        _ bytes: UnsafeRawBufferPointer,
        keepingLineBreaks: Bool
    ) {
        var index = 0
        while index < bytes.count {
            let run = unsafe Self.plainRun(in: bytes, from: index, keepingLineBreaks)
            if run > index {
                unsafe append(UnsafeRawBufferPointer(rebasing: bytes[index..<run]))
                index = run
                continue
            }
            let (scalar, length) = unsafe Self.scalar(in: bytes, at: index)
            if let scalar {
                if Self.isHarmful(scalar) {
                    appendVisible(scalar)
                } else {
                    unsafe append(UnsafeRawBufferPointer(rebasing: bytes[index..<index + length]))
                }
            } else {
                append("\\x")
                append(digitsOf: UInt64(unsafe bytes[index]), radix: 16, atLeast: 2)
            }
            index += length
        }
    }

    private mutating func appendVisible(_ scalar: UInt32) {
        switch scalar {
        case 0x0A: append("\\n")
        case 0x0D: append("\\r")
        default:
            append("\\u{")
            append(digitsOf: UInt64(scalar), radix: 16, atLeast: 1)
            append(UInt8(ascii: "}"))
        }
    }

    /// Returns where the run of printable ASCII, tabs and kept line feeds ends.
    private static func plainRun(
        in bytes: UnsafeRawBufferPointer,
        from start: Int,
        _ keepingLineBreaks: Bool
    ) -> Int {
        var index = start
        while index < bytes.count {
            let byte = unsafe bytes[index]
            let isPlain =
                byte &- 0x20 < 0x5F || byte == 0x09 || (byte == 0x0A && keepingLineBreaks)
            guard isPlain else { break }
            index += 1
        }
        return index
    }

    private static func isHarmful(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0..<0x20, 0x7F..<0xA0: true
        case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// Returns the scalar at the index and its length; nil and 1 for what is not UTF-8.
    private static func scalar(
        in bytes: UnsafeRawBufferPointer,
        at index: Int
    ) -> (scalar: UInt32?, length: Int) {
        let first = unsafe bytes[index]
        if first < 0x80 { return (UInt32(first), 1) }
        let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        guard first >= 0xC2, first < 0xF5, index + length <= bytes.count else { return (nil, 1) }
        var scalar = UInt32(first) & (0x7F >> UInt32(length))
        for offset in 1..<length {
            let byte = unsafe bytes[index + offset]
            guard byte & 0xC0 == 0x80 else { return (nil, 1) }
            scalar = scalar << 6 | UInt32(byte & 0x3F)
        }
        let least: UInt32 = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x1_0000
        let isScalar = scalar >= least && Unicode.Scalar(scalar) != nil
        return isScalar ? (scalar, length) : (nil, 1)
    }
}
