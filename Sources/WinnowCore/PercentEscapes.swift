// SPDX-License-Identifier: Apache-2.0

/// The escapes in a category of a filter, and in a path or a pattern of `WINNOW_SINKS`: `%` and two
/// hexadecimal digits for a byte.
package enum PercentEscapes {
    /// Returns a part of an entry with its escapes decoded.
    ///
    /// - Parameters:
    ///   - part: The part.
    ///   - noun: What it is, for the problem's text: `a path`.
    ///   - entry: The entry.
    /// - Returns: The text.
    /// - Throws: The problem of an escape, or of bytes that are no text.
    package static func decoded(
        _ part: Substring,
        as noun: String,
        in entry: Substring
    ) throws(FilterProblem) -> String {
        var bytes: [UInt8] = []
        var rest = part.utf8
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            guard let escaped = value(of: digits), escaped != 0 else {
                let reason = "an escape is '%' and two hexadecimal digits, and '%' itself '%25'"
                throw FilterProblem(entry: entry, reason: reason, at: part[digits.startIndex...])
            }
            bytes.append(escaped)
            rest = rest.dropFirst(2)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw FilterProblem(entry: entry, reason: "\(noun) is not UTF-8", at: part)
        }
        return text
    }

    /// Returns the bytes of a text, with escapes for those that the body chooses and for `%`.
    package static func encoded(_ bytes: [UInt8], where isSpecial: (UInt8) -> Bool) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        let escaped = bytes.flatMap { byte -> [UInt8] in
            guard byte == UInt8(ascii: "%") || isSpecial(byte) else { return [byte] }
            return [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    /// The part from what stands for a character of the decoded text on, by its number from 1.
    ///
    /// The escapes of the part must be right.
    package static func place(of position: Int, in part: Substring) -> Substring {
        var rest = part.utf8
        var index = 0
        while let byte = rest.first {
            let isEscape = byte == UInt8(ascii: "%")
            let decoded = isEscape ? value(of: rest.dropFirst().prefix(2)) ?? byte : byte
            // Bytes that go on with a character do not count.
            if decoded & 0xC0 != 0x80 { index += 1 }
            if index == position { break }
            rest = rest.dropFirst(isEscape ? 3 : 1)
        }
        return Substring(rest)
    }

    /// The byte of two hexadecimal digits; nil where they are none.
    private static func value(of digits: Substring.UTF8View) -> UInt8? {
        guard digits.count == 2 else { return nil }
        let values = digits.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        return values.count == 2 ? UInt8(values[0] * 16 + values[1]) : nil
    }
}
