// SPDX-License-Identifier: Apache-2.0

/// How lines are read: forward, by places that may lie at the end or behind it.
extension Span<UInt8> {
    /// The byte at a place; NUL, which nothing looks for, where the line has ended.
    @inline(__always)
    func byte(at place: Int) -> UInt8 {
        place < count ? self[place] : 0
    }

    /// Whether the bytes at a place are those of a form, in which `0` stands for any digit.
    func fits(_ form: [UInt8], at place: Int) -> Bool {
        guard place + form.count <= count else { return false }
        for index in form.indices {
            let byte = self[place + index]
            guard form[index] == UInt8(ascii: "0") ? byte.isDigit : byte == form[index] else {
                return false
            }
        }
        return true
    }
}

extension UInt8 {
    @inline(__always)
    var isDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }

    /// Whether it is a digit as `%x` writes it.
    @inline(__always)
    var isHexadecimal: Bool { isDigit || UInt8(ascii: "a")...UInt8(ascii: "f") ~= self }

    @inline(__always)
    var isLetter: Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= self | 0x20 }

    @inline(__always)
    var isUppercase: Bool { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self }

    @inline(__always)
    var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}
