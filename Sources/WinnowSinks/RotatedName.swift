// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore
internal import WinnowFormatters

/// What an old file is called: the name of the log, what tells it from others, and `.gz` where it is
/// compressed.
package struct RotatedName: Hashable {
    /// What tells old files apart, and in which order they come.
    package enum Mark: Hashable {
        /// From 1 for the latest.
        case number(Int)
        /// The second since 1970 at which the file was begun, the seconds east of UTC that it is shown
        /// in, and a number from 1 for files that were begun in one second.
        case date(second: Int, offset: Int, ordinal: Int)
    }

    package var mark: Mark
    package var isCompressed = false

    /// Returns the text behind the log's name.
    package var suffix: String {
        let end = isCompressed ? ".gz" : ""
        switch mark {
        case .number(let number): return ".\(number)\(end)"
        case .date(let second, let offset, let ordinal):
            let time = CivilTime(UInt64(nanosecondsOf: second), offset: offset)
            let date = "\(time.year)-\(two(time.month))-\(two(time.day))"
            let clock = "\(two(time.hour))\(two(time.minute))\(two(time.second))"
            let (hours, minutes) = (abs(offset) / 3_600, abs(offset) / 60 % 60)
            let zone = "\(offset < 0 ? "-" : "+")\(two(hours))\(two(minutes))"
            return ".\(date)T\(clock)\(zone)\(ordinal > 1 ? "-\(ordinal)" : "")\(end)"
        }
    }

    package init(_ mark: Mark, isCompressed: Bool = false) {
        self.mark = mark
        self.isCompressed = isCompressed
    }

    /// Reads the text behind the log's name; nil for what is none of the names that are made here.
    package init?(suffix: Substring) {
        var rest = suffix
        let isCompressed = rest.hasSuffix(".gz")
        if isCompressed { rest = rest.dropLast(3) }
        guard rest.first == ".", let mark = Mark(rest.dropFirst()) else { return nil }
        self.init(mark, isCompressed: isCompressed)
        // What is read in two ways, such as a number with zeros in front, is somebody else's; so is a
        // time that no file of ours was begun at, before 1970 or behind 2554.
        guard self.suffix.utf8.elementsEqual(suffix.utf8) else { return nil }
    }

    /// Whether this file is later than another one.
    package func isLater(than other: RotatedName) -> Bool {
        switch (mark, other.mark) {
        case (.number(let one), .number(let two)): one < two
        case (.date(let one, _, let first), .date(let two, _, let second)):
            (one, first) > (two, second)
        // Files of the other naming are from before a change of the configuration.
        case (.number, .date): false
        case (.date, .number): true
        }
    }
}

extension RotatedName.Mark {
    /// Reads `7` or `2026-11-21T000000+0100-2`.
    fileprivate init?(_ text: Substring) {
        if let number = Int(digits: text), number > 0 {
            self = .number(number)
            return
        }
        let bytes = Array(text.utf8)
        let zone = 17
        guard bytes.count >= 22, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            bytes[10] == UInt8(ascii: "T"), let sign = Self.sign(of: bytes[zone]),
            let year = decimal(bytes[0..<4]), let month = decimal(bytes[5..<7]),
            let day = decimal(bytes[8..<10]), let clock = decimal(bytes[11..<17]),
            let offset = decimal(bytes[18..<22]), (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        var ordinal = 1
        if bytes.count > 22 {
            guard bytes[22] == UInt8(ascii: "-"), let number = decimal(bytes[23...]), number > 1
            else { return nil }
            ordinal = number
        }
        let days = daysSince1970(year: year, month: month, day: day)
        let seconds = clock / 10_000 * 3_600 + clock / 100 % 100 * 60 + clock % 100
        let east = sign * (offset / 100 * 3_600 + offset % 100 * 60)
        self = .date(second: days * 86_400 + seconds - east, offset: east, ordinal: ordinal)
    }

    private static func sign(of byte: UInt8) -> Int? {
        switch byte {
        case UInt8(ascii: "+"): 1
        case UInt8(ascii: "-"): -1
        default: nil
        }
    }
}

/// The number of decimal digits; nil where there are others, none, or too many.
private func decimal(_ digits: ArraySlice<UInt8>) -> Int? {
    guard (1...9).contains(digits.count) else { return nil }
    return digits.reduce(0 as Int?) { sum, digit in
        guard let sum, digit >= 0x30, digit <= 0x39 else { return nil }
        return sum * 10 + Int(digit - 0x30)
    }
}

private func two(_ number: Int) -> String {
    number < 10 ? "0\(number)" : "\(number)"
}

/// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `days_from_civil`.
private func daysSince1970(year: Int, month: Int, day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let era = year / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
}
