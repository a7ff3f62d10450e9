// SPDX-License-Identifier: Apache-2.0

/// Makes UTF-8 of bytes that may be none.
enum UTF8Repair {
    /// Puts a question mark in the place of each byte that belongs to no character.
    ///
    /// Source: RFC 3629, section 4.
    static func repair(_ bytes: UnsafeMutableRawBufferPointer) {
        var rest = unsafe bytes[...]
        while let first = unsafe rest.first {
            // Most texts are ASCII.
            let count = first < 0x80 ? 1 : unsafe lengthOfCharacter(in: rest)
            if count == 0 { unsafe bytes[rest.startIndex] = UInt8(ascii: "?") }
            unsafe rest = unsafe rest.dropFirst(max(count, 1))
        }
    }

    /// The bytes of the character that a text begins with, which is not ASCII; 0 where it begins with none.
    private static func lengthOfCharacter(
        in text: Slice<UnsafeMutableRawBufferPointer>
    ) -> Int {
        let bytes = unsafe text.prefix(4)
        guard let first = unsafe bytes.first else { return 0 }
        let (count, second): (Int, ClosedRange<UInt8>) =
            switch first {
            case 0xC2...0xDF: (2, 0x80...0xBF)
            case 0xE0: (3, 0xA0...0xBF)
            case 0xED: (3, 0x80...0x9F)
            case 0xE1...0xEF: (3, 0x80...0xBF)
            case 0xF0: (4, 0x90...0xBF)
            case 0xF1...0xF3: (4, 0x80...0xBF)
            case 0xF4: (4, 0x80...0x8F)
            default: (0, 0...0)
            }
        guard count > 0, unsafe bytes.count >= count else { return 0 }
        let others = unsafe bytes.prefix(count).dropFirst()
        guard let next = unsafe others.first, second.contains(next) else { return 0 }
        return unsafe others.dropFirst().allSatisfy { 0x80...0xBF ~= $0 } ? count : 0
    }
}
