// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// The write position of a buffer, for appending many short pieces in a row.
///
/// A cursor that is a local copy stays in registers. The buffer's own end would be read again for each
/// piece, because a store through a pointer might have changed it. The buffer must not be used otherwise
/// until ``ByteBuffer/setEnd(_:)``.
@unsafe
@frozen
@usableFromInline
package struct ByteCursor {
    // SAFETY: callers check `room`, or make it, before they write.
    @usableFromInline package private(set) var position: UnsafeMutableRawPointer
    @usableFromInline let limit: UnsafeMutableRawPointer

    @export(implementation)
    @inline(__always)
    init(_ position: UnsafeMutableRawPointer, upTo limit: UnsafeMutableRawPointer) {
        unsafe self.position = unsafe position
        unsafe self.limit = unsafe limit
    }

    /// How many bytes there is room for.
    @export(implementation) package var room: Int {
        @inline(__always) get { unsafe limit - position }
    }

    /// Moves the position by so many bytes, which count as written.
    @export(implementation)
    @inline(__always)
    package mutating func skip(_ count: Int) {
        unsafe position += count
    }

    /// Writes one byte.
    @export(implementation)
    @inline(__always)
    package mutating func put(_ byte: UInt8) {
        unsafe position.storeBytes(of: byte, as: UInt8.self)
        unsafe skip(1)
    }

    /// Writes the first `count` of the word's eight bytes, the lowest first; needs room for all eight.
    @export(implementation)
    @inline(__always)
    package mutating func put(word: UInt64, count: Int = 8) {
        unsafe position.storeBytes(of: word.littleEndian, as: UInt64.self)
        unsafe skip(count)
    }

    /// Writes a literal that has an address, as all do but those of a single scalar.
    @export(implementation)
    @inline(__always)
    package mutating func put(_ text: StaticString) {
        // Its length is known to the compiler, which copies a short one without a call.
        unsafe position.copyMemory(from: text.utf8Start, byteCount: text.utf8CodeUnitCount)
        unsafe skip(text.utf8CodeUnitCount)
    }

    /// The most bytes of ``put(short:)``.
    static var shortByteCount: Int { Int(CWINNOW_SHORT_TEXT) }

    /// Writes a run of at most ``shortByteCount`` bytes, without a call.
    @inline(__always)
    mutating func put(short bytes: UnsafeRawBufferPointer) {
        let count = bytes.count
        guard let source = bytes.baseAddress else { return }
        // SAFETY: no byte is read or written beyond the count.
        unsafe cwinnow_cursor_copy_short(
            position.assumingMemoryBound(to: UInt8.self),
            source.assumingMemoryBound(to: UInt8.self),
            count
        )
        unsafe skip(count)
    }

    /// Writes the decimal digits of a number below 100 000 000; takes room for eight.
    @export(implementation)
    @inline(__always)
    package mutating func put(eightDigits value: UInt64) {
        guard value >= 10 else {
            return unsafe put(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: value))
        }
        let digits = DigitPairs.eightDigits(of: value)
        // The zeros in front are left out.
        let skipped = digits.trailingZeroBitCount & ~7
        let text = (digits | DigitPairs.zeros) &>> UInt64(truncatingIfNeeded: skipped)
        unsafe put(word: text, count: 8 &- skipped &>> 3)
    }

    /// Returns where a number ends when its decimal digits are written here; takes room for 24 bytes.
    @inline(never)
    package func end(ofDecimal value: UInt64) -> ByteCursor {
        var end = unsafe self
        guard value >= 100_000_000 else {
            unsafe end.put(eightDigits: value)
            return unsafe end
        }
        let (upper, lower) = value.quotientAndRemainder(dividingBy: 100_000_000)
        unsafe end = unsafe end.end(ofDecimal: upper)
        unsafe end.put(word: DigitPairs.eightDigits(of: lower) | DigitPairs.zeros)
        return unsafe end
    }

    /// Returns where the shortest decimal text of a number ends when it is written here; nil if that text
    /// is not a short one.
    @inline(never)
    package func end(ofShortest number: Double) -> ByteCursor? {
        var end = unsafe self
        return unsafe end.put(shortest: number) ? end : nil
    }

    /// Writes the shortest decimal text that reads as the number does, where that is a short one;
    /// returns whether it is, and takes room for 24 bytes.
    @inline(__always)
    mutating func put(shortest number: Double) -> Bool {
        let magnitude = number.magnitude
        guard magnitude < 1e9, magnitude >= 1e-4 || magnitude == 0 else { return false }
        // A text of at most 15 digits that reads as the number is the only one of that length, and
        // so the shortest; the division says whether it does, as it rounds to the nearest. Below
        // 1e-4 Swift writes an exponent. From 2^52 on the lowest bits of a number are its integer.
        let shifted = magnitude * 1e6 + 0x1p52
        guard (shifted - 0x1p52) / 1e6 == magnitude else { return false }
        if number.sign == .minus { unsafe put(UInt8(ascii: "-")) }
        unsafe put(millionths: shifted.significandBitPattern)
        return true
    }

    /// Writes a number given in millionths, with a point and as few decimals as it needs.
    @inline(__always)
    private mutating func put(millionths: UInt64) {
        let (integer, rest) = millionths.quotientAndRemainder(dividingBy: 1_000_000)
        var whole = integer
        if whole >= 10 {
            let (tens, ones) = whole.quotientAndRemainder(dividingBy: 10)
            unsafe put(eightDigits: tens)
            whole = ones
        }
        // Two zeros, then the six decimals, of which trailing zeros are left out, but not the first one.
        let digits = DigitPairs.eightDigits(of: rest)
        let count = 8 &- (digits | 1 &<< 16).leadingZeroBitCount &>> 3
        // The zeros give way to the last digit in front of the point, and the point.
        unsafe put(word: digits | (0x3030_3030_3030_2E30 &+ whole), count: count)
    }
}

extension ByteBuffer {
    /// Makes room for so many bytes more, and returns where they go: see ``ByteCursor``.
    @export(implementation)
    @inline(__always)
    package mutating func cursor(withRoomFor additional: Int) -> ByteCursor {
        reserve(additional)
        return unsafe cursor
    }

    /// Where the next byte goes, with the room that there is.
    @export(implementation) package var cursor: ByteCursor {
        @inline(__always) get { unsafe ByteCursor(end, upTo: base + capacity) }
    }

    /// Sets the end of the buffer to the cursor: everything before it counts as written.
    @export(implementation)
    @inline(__always)
    package mutating func setEnd(_ cursor: ByteCursor) {
        length = unsafe cursor.position - base
    }
}
