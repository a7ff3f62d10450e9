// SPDX-License-Identifier: Apache-2.0

/// Numbers in decimal digits, two at a time.
extension ByteBuffer {
    /// Appends the decimal digits of an integer.
    public mutating func append(decimal value: Int64) {
        if value < 0 { append(UInt8(ascii: "-")) }
        append(decimal: value.magnitude)
    }

    /// Appends the decimal digits of an unsigned integer.
    public mutating func append(decimal value: UInt64) {
        guard value < 100_000_000 else { return appendLong(value) }
        var cursor = unsafe cursor(withRoomFor: 8)
        unsafe cursor.put(eightDigits: value)
        unsafe setEnd(cursor)
    }

    @inline(never)
    private mutating func appendLong(_ value: UInt64) {
        // A constant divisor is a multiplication.
        let (upper, lower) = value.quotientAndRemainder(dividingBy: 100_000_000)
        append(decimal: upper)
        append(word: DigitPairs.eightDigits(of: lower) | DigitPairs.zeros)
    }

    /// Appends the eight hexadecimal digits of a number, in lower case.
    package mutating func append(hexadecimal value: UInt32) {
        // Each half of a byte to a byte of its own.
        var digits = UInt64(value)
        digits = (digits | digits &<< 16) & 0x0000_FFFF_0000_FFFF
        digits = (digits | digits &<< 8) & 0x00FF_00FF_00FF_00FF
        digits = (digits | digits &<< 4) & 0x0F0F_0F0F_0F0F_0F0F
        // Ten or more plus six sets the fifth bit; a letter is 39 above where the digits would go on.
        let letters = (digits &+ 0x0606_0606_0606_0606) &>> 4 & 0x0101_0101_0101_0101
        append(word: (digits &+ DigitPairs.zeros &+ letters &* 39).byteSwapped)
    }

    /// Appends the shortest decimal text that reads back as the number: Swift's description of it.
    package mutating func append(shortest number: Double) {
        var cursor = unsafe cursor(withRoomFor: 24)
        guard unsafe cursor.put(shortest: number) else { return append(number.description) }
        unsafe setEnd(cursor)
    }
}

/// Splits numbers below 100, packed into a word with a free byte above each, into their digits.
@usableFromInline
package enum DigitPairs {
    /// Returns the digits as numbers: the tens in place of the numbers, the ones in the free bytes.
    ///
    /// All other bytes of the word must be zero; the mask has the lower four bits of each number's byte.
    @export(implementation)
    @inline(__always)
    package static func digits(of pairs: UInt64, tens mask: UInt64) -> UInt64 {
        // Divides numbers below 100 by ten without a division: the product may use the free byte above, and
        // the mask removes what the shift brings down from the next number.
        let tens = (pairs &* 103) &>> 10 & mask
        return tens | (pairs &- tens &* 10) &<< 8
    }

    /// Eight zeros in ASCII.
    @export(implementation) package static var zeros: UInt64 {
        @inline(__always) get { 0x3030_3030_3030_3030 }
    }

    /// Returns the digits, as numbers, of a number that has no more than eight; the first is lowest.
    @export(implementation)
    @inline(__always)
    package static func eightDigits(of value: UInt64) -> UInt64 {
        let (upper, lower) = value.quotientAndRemainder(dividingBy: 10_000)
        // Two numbers below 10,000 in the halves of a word, of which each is split into two below 100:
        // 10486 / 2^20 is a hundredth, and little more.
        let halves = upper | lower &<< 32
        let hundreds = (halves &* 10_486) &>> 20 & 0x0000_007F_0000_007F
        let pairs = hundreds | (halves &- hundreds &* 100) &<< 16
        return digits(of: pairs, tens: 0x000F_000F_000F_000F)
    }
}
