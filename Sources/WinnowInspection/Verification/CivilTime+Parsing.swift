// SPDX-License-Identifier: Apache-2.0

internal import WinnowFormatters

extension CivilTime {
    /// Returns the microseconds since 1970 of a time as the formatters write it, in UTC; nil for
    /// what is none: `2026-11-21T09:30:15.123456Z`.
    ///
    /// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `days_from_civil`.
    static func microseconds(rfc3339 text: String) -> UInt64? {
        let form = "0000-00-00T00:00:00.000000Z"
        guard text.utf8.count == form.utf8.count else { return nil }
        var numbers: [Int] = [0]
        for (byte, expected) in zip(text.utf8, form.utf8) {
            if expected == UInt8(ascii: "0") {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
                numbers[numbers.count - 1] = numbers[numbers.count - 1] * 10 + Int(byte & 0x0F)
            } else {
                guard byte == expected else { return nil }
                numbers.append(0)
            }
        }
        let (month, day) = (numbers[1], numbers[2])
        guard (1...12).contains(month), (1...31).contains(day), numbers[0] > 0 else { return nil }
        let year = month > 2 ? numbers[0] : numbers[0] - 1
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let days = year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
        let seconds = days * 86_400 + numbers[3] * 3_600 + numbers[4] * 60 + numbers[5]
        return UInt64(exactly: seconds * 1_000_000 + numbers[6])
    }
}
