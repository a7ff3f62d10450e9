// SPDX-License-Identifier: Apache-2.0

package import WinnowCore

extension ByteBuffer {
    /// Appends a time to the microsecond: `2026-11-21T09:30:15.123456Z`, or `+01:00` at its end.
    ///
    /// Source: RFC 3339, section 5.6, within the limits of RFC 5424, section 6.2.3.
    package mutating func append(rfc3339 time: CivilTime) {
        var cursor = unsafe cursor(withRoomFor: ByteCursor.rfc3339ByteCount)
        unsafe cursor.put(words: time.dateAndTime(), microsecond: UInt64(time.microsecond))
        if let offset = time.offset { unsafe cursor.replaceZ(by: CivilTime.text(ofOffset: offset)) }
        unsafe setEnd(cursor)
    }

    /// Appends nanoseconds since 1970 in the same form, in UTC or in the time zone of the system.
    ///
    /// A time zone is asked for once in a second.
    package mutating func append(rfc3339 timestamp: UInt64, isLocal: Bool = false) {
        var cursor = unsafe cursor(withRoomFor: ByteCursor.rfc3339ByteCount)
        unsafe cursor.put(rfc3339: timestamp, isLocal: isLocal, second: &second)
        unsafe setEnd(cursor)
    }

    /// Appends a date and a time of day to the second: `2026-11-21T09:30:15`.
    mutating func append(_ time: CivilTime, separator: UInt8) {
        let words = time.dateAndTime(separator: separator)
        append(word: words.0)
        append(word: words.1, count: 3)
        append(word: words.2)
    }

    /// Appends `Z` or the offset.
    mutating func appendZone(of time: CivilTime) {
        guard let offset = time.offset else {
            append(UInt8(ascii: "Z"))
            return
        }
        append(word: CivilTime.text(ofOffset: offset), count: 6)
    }

    /// Appends a time to the second, with an English month in every locale: `Nov  1 09:30:15`.
    ///
    /// Source: RFC 3164, section 4.1.2.
    package mutating func append(rfc3164 time: CivilTime) {
        let month = monthNames[time.month - 1]
        append(month.span)
        // A day below 10 has a space in place of the zero.
        let pattern: UInt64 = time.day < 10 ? 0x20_3020_20 : 0x20_3030_20
        append(
            word: DigitPairs.text(of: UInt64(time.day) &<< 8, tens: 0x0F00, in: pattern),
            count: 4
        )
        append(word: time.textOfDay)
    }
}

/// `Jan` to `Dec` in ASCII.
private let monthNames: InlineArray<12, InlineArray<3, UInt8>> = [
    [0x4A, 0x61, 0x6E], [0x46, 0x65, 0x62], [0x4D, 0x61, 0x72], [0x41, 0x70, 0x72],
    [0x4D, 0x61, 0x79], [0x4A, 0x75, 0x6E], [0x4A, 0x75, 0x6C], [0x41, 0x75, 0x67],
    [0x53, 0x65, 0x70], [0x4F, 0x63, 0x74], [0x4E, 0x6F, 0x76], [0x44, 0x65, 0x63],
]

extension CivilTime {
    /// A date and a time of day, for the bytes from 0, 8 and 11 on: `2026-11-21T09:30:15`.
    fileprivate func dateAndTime(
        separator: UInt8 = UInt8(ascii: "T")
    ) -> (UInt64, UInt64, UInt64) {
        let (century, year) = UInt64(year).quotientAndRemainder(dividingBy: 100)
        let pairs = century | year &<< 16 | UInt64(month) &<< 40
        let date = DigitPairs.text(of: pairs, tens: 0x0F00_000F_000F, in: 0x2D30_302D_3030_3030)
        let end = UInt64(separator) &<< 16 | 0x3030
        let day = DigitPairs.text(of: UInt64(day), tens: 0x0F, in: end)
        return (date, day, textOfDay)
    }

    /// `09:30:15`.
    fileprivate var textOfDay: UInt64 {
        let pairs = UInt64(hour) | UInt64(minute) &<< 24 | UInt64(second) &<< 48
        return DigitPairs.text(of: pairs, tens: 0x000F_0000_0F00_000F, in: 0x3030_3A30_303A_3030)
    }

    /// The six bytes of hours and minutes east of UTC; seconds, which zones had until 1972, are cut
    /// off.
    fileprivate static func text(ofOffset offset: Int) -> UInt64 {
        let (hours, minutes) = UInt64(abs(offset) / 60).quotientAndRemainder(dividingBy: 60)
        let pairs = hours &<< 8 | minutes &<< 32
        let pattern = 0x3030_3A30_3000 | UInt64(UInt8(ascii: offset < 0 ? "-" : "+"))
        return DigitPairs.text(of: pairs, tens: 0x000F_0000_0F00, in: pattern)
    }
}

extension ByteCursor {
    /// The room that a time to the microsecond takes.
    fileprivate static let rfc3339ByteCount = 40

    /// Writes nanoseconds since 1970 as RFC 3339 has it; takes room for ``rfc3339ByteCount``.
    @inline(__always)
    mutating func put(rfc3339 timestamp: UInt64, isLocal: Bool, second: inout SecondText) {
        if !second.contains(timestamp, isLocal: isLocal) { second.renew(timestamp, isLocal) }
        unsafe put(words: second.words, microsecond: second.microsecond(of: timestamp))
        if isLocal { unsafe replaceZ(by: second.zone) }
    }

    /// Writes the words of a date and a time of day, the fraction and `Z`.
    @inline(__always)
    fileprivate mutating func put(words: (UInt64, UInt64, UInt64), microsecond: UInt64) {
        // Of the two zeros in front of six digits the second gives way to the point.
        let text = DigitPairs.eightDigits(of: microsecond) &>> 8 | 0x5A30_3030_3030_302E
        // Each word is overwritten where the next one begins.
        unsafe put(word: words.0)
        unsafe put(word: words.1, count: 3)
        unsafe put(word: words.2)
        unsafe put(word: text)
    }

    /// Puts an offset, of six bytes, in the place of the `Z` at the end.
    fileprivate mutating func replaceZ(by offset: UInt64) {
        unsafe skip(-1)
        unsafe put(word: offset, count: 6)
    }
}

extension SecondText {
    /// Whether a time, in nanoseconds since 1970, is within the second.
    @inline(__always)
    fileprivate func contains(_ timestamp: UInt64, isLocal: Bool) -> Bool {
        // For an earlier time, the difference wraps around and is huge.
        timestamp &- begin < 1_000_000_000 && self.isLocal == isLocal
    }

    /// The microseconds of a time within the second, cut off and not rounded.
    @inline(__always)
    fileprivate func microsecond(of timestamp: UInt64) -> UInt64 {
        UInt64(UInt32(truncatingIfNeeded: timestamp &- begin) / 1_000)
    }

    /// Takes the second of a time for what is asked for next.
    @inline(never)
    fileprivate mutating func renew(_ timestamp: UInt64, _ isLocal: Bool) {
        let time = isLocal ? CivilTime(local: timestamp) : CivilTime(timestamp)
        begin = timestamp - timestamp % 1_000_000_000
        self.isLocal = isLocal
        words = time.dateAndTime()
        zone = CivilTime.text(ofOffset: time.offset ?? 0)
    }
}

extension DigitPairs {
    /// The digits as text: in their places in a pattern, which has zeros there in ASCII.
    @inline(__always)
    fileprivate static func text(of pairs: UInt64, tens mask: UInt64, in pattern: UInt64) -> UInt64
    {
        pattern &+ digits(of: pairs, tens: mask)
    }
}
