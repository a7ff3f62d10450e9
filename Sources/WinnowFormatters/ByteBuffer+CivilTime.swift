// SPDX-License-Identifier: Apache-2.0

package import WinnowCore

extension ByteBuffer {
    /// Appends a time to the microsecond: `2026-11-21T09:30:15.123456Z`, or `+01:00` at its end.
    ///
    /// Source: RFC 3339, section 5.6, within the limits of RFC 5424, section 6.2.3.
    package mutating func append(rfc3339 time: CivilTime) {
        var text = InlineArray<26, UInt8>(repeating: 0)
        text.put(time.year / 100, at: 0)
        text.put(time.year % 100, at: 2)
        text[4] = UInt8(ascii: "-")
        text.put(time.month, at: 5)
        text[7] = UInt8(ascii: "-")
        text.put(time.day, at: 8)
        text[10] = UInt8(ascii: "T")
        text.putTimeOfDay(time, at: 11)
        text[19] = UInt8(ascii: ".")
        text.put(time.microsecond / 10_000, at: 20)
        text.put(time.microsecond / 100 % 100, at: 22)
        text.put(time.microsecond % 100, at: 24)
        append(text.span)
        guard let offset = time.offset else {
            append(UInt8(ascii: "Z"))
            return
        }
        append(offset: offset)
    }

    /// Appends a time to the second, with an English month in every locale: `Nov  1 09:30:15`.
    ///
    /// Source: RFC 3164, section 4.1.2.
    package mutating func append(rfc3164 time: CivilTime) {
        var text = InlineArray<15, UInt8>(repeating: UInt8(ascii: " "))
        let month = monthNames[time.month - 1]
        text[0] = month[0]
        text[1] = month[1]
        text[2] = month[2]
        text.put(time.day, at: 4)
        if time.day < 10 { text[4] = UInt8(ascii: " ") }
        text.putTimeOfDay(time, at: 7)
        append(text.span)
    }

    /// Appends hours and minutes east of UTC; seconds, which zones had until 1972, are cut off.
    private mutating func append(offset: Int) {
        var text = InlineArray<6, UInt8>(repeating: UInt8(ascii: ":"))
        text[0] = UInt8(ascii: offset < 0 ? "-" : "+")
        text.put(abs(offset) / 3_600, at: 1)
        text.put(abs(offset) / 60 % 60, at: 4)
        append(text.span)
    }
}

/// `Jan` to `Dec` in ASCII.
private let monthNames: InlineArray<12, InlineArray<3, UInt8>> = [
    [0x4A, 0x61, 0x6E], [0x46, 0x65, 0x62], [0x4D, 0x61, 0x72], [0x41, 0x70, 0x72],
    [0x4D, 0x61, 0x79], [0x4A, 0x75, 0x6E], [0x4A, 0x75, 0x6C], [0x41, 0x75, 0x67],
    [0x53, 0x65, 0x70], [0x4F, 0x63, 0x74], [0x4E, 0x6F, 0x76], [0x44, 0x65, 0x63],
]

extension InlineArray where Element == UInt8 {
    /// Overwrites bytes with `09:30:15`.
    fileprivate mutating func putTimeOfDay(_ time: CivilTime, at offset: Int) {
        put(time.hour, at: offset)
        self[offset + 2] = UInt8(ascii: ":")
        put(time.minute, at: offset + 3)
        self[offset + 5] = UInt8(ascii: ":")
        put(time.second, at: offset + 6)
    }

    /// Overwrites two bytes with the digits of a number below 100.
    @inline(__always)
    fileprivate mutating func put(_ value: Int, at offset: Int) {
        // A tenth of a number below 100, without a division.
        let tens = (value &* 103) &>> 10
        self[offset] = UInt8(truncatingIfNeeded: 0x30 &+ tens)
        self[offset + 1] = UInt8(truncatingIfNeeded: 0x30 &+ value &- tens &* 10)
    }
}
