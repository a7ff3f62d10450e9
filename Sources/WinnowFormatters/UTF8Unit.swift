// SPDX-License-Identifier: Apache-2.0

/// What stands at one place of bytes that should be UTF-8: a character, or bytes that are none.
struct UTF8Unit {
    /// The code point; nil where the bytes are not UTF-8.
    let scalar: UInt32?
    /// The number of bytes, 1 to 4.
    let count: Int

    /// Reads the unit at an offset, which must be within the bytes.
    ///
    /// Bytes that are not UTF-8 are taken together as far as they begin a character.
    ///
    /// Source: The Unicode Standard, table 3-7 and "U+FFFD Substitution of Maximal Subparts".
    init(at offset: Int, in bytes: Span<UInt8>) {
        let lead = bytes[offset]
        var following: ClosedRange<UInt8> = 0x80...0xBF
        let length: Int
        switch lead {
        case 0x00...0x7F: length = 1
        case 0xC2...0xDF: length = 2
        case 0xE0...0xEF: length = 3
        case 0xF0...0xF4: length = 4
        default:
            // A continuation without a beginning, or what no character begins with.
            self.init(scalar: nil, count: 1)
            return
        }
        switch lead {
        case 0xE0: following = 0xA0...0xBF  // Less is overlong.
        case 0xED: following = 0x80...0x9F  // More is a surrogate.
        case 0xF0: following = 0x90...0xBF  // Less is overlong.
        case 0xF4: following = 0x80...0x8F  // More is beyond U+10FFFF.
        default: break
        }
        var scalar = UInt32(lead)
        if length > 1 { scalar &= 0x7F &>> UInt32(length) }
        for count in 1..<length {
            guard offset + count < bytes.count, following.contains(bytes[offset + count]) else {
                self.init(scalar: nil, count: count)
                return
            }
            scalar = scalar &<< 6 | UInt32(bytes[offset + count] & 0x3F)
            following = 0x80...0xBF
        }
        self.init(scalar: scalar, count: length)
    }

    private init(scalar: UInt32?, count: Int) {
        self.scalar = scalar
        self.count = count
    }

    /// Whether the unit may not stand as it is.
    func isHarmful(in escaping: Escaping) -> Bool {
        guard let scalar else { return true }
        return scalar < 0x80 ? escaping.isSuspect(UInt8(scalar)) : UTF8Unit.isHarmful(scalar)
    }

    /// Whether a character does harm in a line, whatever else it means there.
    static func isHarmful(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x00...0x1F, 0x7F...0x9F: true
        case 0x061C, 0x200E, 0x200F: true
        case 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
