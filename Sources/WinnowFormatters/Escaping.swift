// SPDX-License-Identifier: Apache-2.0

/// How to write the characters that a text must not contain as they are.
///
/// Harmful in every case are the control characters U+0000 to U+001F (among them line breaks, tabulators
/// and the escape character that begins a terminal's commands), U+007F and U+0080 to
/// U+009F; the line and paragraph separators U+2028 and U+2029; what turns the direction of
/// writing, U+061C, U+200E, U+200F, U+202A to U+202E and U+2066 to U+2069; and bytes that are not
/// UTF-8. Everything else passes as it is.
///
/// | | a line feed | U+001B | U+202E | the byte FF | `"` | `\` | space, `=` |
/// |---|---|---|---|---|---|---|---|
/// | `line` | `\n` | `\u{1b}` | `\u{202e}` | `\xff` | as it is | as it is | as it is |
/// | `quotes` | `\n` | `\u{1b}` | `\u{202e}` | `\xff` | `\"` | `\\` | as it is |
/// | `json` | `\n` | `\u001b` | `\u202e` | U+FFFD | `\"` | `\\` | as it is |
/// | `name` | `_` | `_` | `_` | `_` | `_` | `_` | `_` |
///
/// Source: CWE-117 and CWE-150; Unicode Standard Annex 9, section 2, for the directions.
/// This is a closed set.
@frozen
public enum Escaping: Sendable, Hashable {
    /// For text that people read, up to the end of a line: Swift's notation of characters.
    ///
    /// Backslashes stay as they are, so that paths and patterns stay readable. Whether `\n` was a
    /// line break or two characters cannot be told from the output; use `quotes` where it matters.
    case line
    /// For text between double quotes, in Swift's notation; it can be turned back without doubt.
    case quotes
    /// For a JSON string. Each longest run of bytes that begin a character and do not end it, and
    /// each other byte that is not UTF-8, becomes one U+FFFD, as in a Swift `String`.
    ///
    /// Source: RFC 8259, section 7.
    case json
    /// For a name in `name=value`.
    case name
}

extension Escaping {
    /// Returns the offset of the first byte, from the given one on, that is not harmless ASCII; the
    /// number of bytes where there is none.
    func firstSuspect(in bytes: Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index + 8 <= bytes.count {
            let suspects = suspects(in: bytes.word(at: index))
            if suspects != 0 { return index + suspects.trailingZeroBitCount / 8 }
            index += 8
        }
        if index < bytes.count, bytes.count >= 8 {
            // The last eight bytes without those that were looked at; the zeros that take their
            // places are suspect, the first of them at the end.
            let known = UInt64(8 - (bytes.count - index))
            let suspects = suspects(in: bytes.word(at: bytes.count - 8) &>> (8 * known))
            return index + suspects.trailingZeroBitCount / 8
        }
        while index < bytes.count, !isSuspect(bytes[index]) {
            index += 1
        }
        return index
    }

    /// Whether bytes are ASCII or other characters that all may stand as they are.
    package func allows(_ bytes: Span<UInt8>) -> Bool {
        var index = firstSuspect(in: bytes, from: 0)
        while index < bytes.count {
            let unit = UTF8Unit(at: index, in: bytes)
            if unit.isHarmful(in: self) { return false }
            index = firstSuspect(in: bytes, from: index + unit.count)
        }
        return true
    }

    /// Marks the suspect bytes of eight by their highest bit; above the lowest mark, others may be
    /// marked falsely.
    @inline(__always)
    func suspects(in word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        // A byte from 0x80 on has the bit, 0x7F gets it by adding one, and what is below the first
        // printable character borrows it.
        var marks = word | (word &+ ones) | (word &- firstPrintable &* ones) & ~word
        if self != .line {
            marks |= zeros(in: word ^ UInt64(UInt8(ascii: "\"")) &* ones)
            marks |= zeros(in: word ^ UInt64(UInt8(ascii: "\\")) &* ones)
        }
        if self == .name {
            marks |= zeros(in: word ^ UInt64(UInt8(ascii: "=")) &* ones)
        }
        return marks & 0x8080_8080_8080_8080
    }

    @inline(__always)
    private func zeros(in word: UInt64) -> UInt64 {
        (word &- 0x0101_0101_0101_0101) & ~word
    }

    private var firstPrintable: UInt64 { self == .name ? 0x21 : 0x20 }

    /// Whether a byte is not ASCII, or is ASCII that may not stand as it is.
    func isSuspect(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): self != .line
        case UInt8(ascii: "="): self == .name
        default: byte < firstPrintable || byte >= 0x7F
        }
    }
}
