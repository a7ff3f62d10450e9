// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// Marks behind the time at which a line was made, which stays in the text, and the mark with it.
extension LevelMark {
    /// The parts between the time and the level that are passed over: names, threads, numbers.
    private static let mostParts = 4
    /// The longest such part in bytes.
    private static let longestPart = 128

    private static let dates = ["0000-00-00", "0000/00/00"].map { Array($0.utf8) }
    private static let clock = Array("00:00:00".utf8)

    /// Finds the mark behind a time: `2026-11-21 10:00:00 [error] text`,
    /// `2026-11-21T10:00:00.123Z  INFO text`, `[2026-11-21 10:00:00.123] [net] [info] text`,
    /// `2026-11-21 10:00:00,123 - name - ERROR - text`.
    init?(behindTimeIn text: Span<UInt8>, at start: Int) {
        let isInBrackets = text.byte(at: start) == UInt8(ascii: "[")
        guard var place = LevelMark.endOfTime(in: text, from: isInBrackets ? start + 1 : start)
        else {
            return nil
        }
        if isInBrackets {
            let next = text.skippingBlanks(from: place)
            if let level = LevelMark.levelWord(in: text, at: next) {
                self.init(level)
                return
            }
            guard let end = LevelMark.end(ofPartIn: text, from: place, at: UInt8(ascii: "]")) else {
                return nil
            }
            place = end
        } else if !text.byte(at: place).isBlank {
            return nil
        }
        guard let level = LevelMark.level(behindPartsIn: text, from: place) else { return nil }
        self.init(level)
    }

    /// Returns the level behind some parts of other kinds.
    private static func level(behindPartsIn text: Span<UInt8>, from start: Int) -> Level? {
        var place = start
        var isDashed = false
        for _ in 0..<mostParts {
            place = skipSeparator(in: text, from: place, isDashed: &isDashed)
            let byte = text.byte(at: place)
            if byte == UInt8(ascii: "{") { return LevelMark(ofObjectIn: text, at: place)?.level }
            if byte == UInt8(ascii: "[") {
                if let mark = LevelMark(inBracketsOf: text, at: place) { return mark.level }
            } else if byte.isLetter {
                if let level = levelWord(in: text, at: place) { return level }
                if let mark = LevelMark(ofPairsIn: text, at: place) { return mark.level }
            }
            guard let end = endOfPart(in: text, from: place, isDashed: isDashed) else { return nil }
            place = end
        }
        return nil
    }

    /// Returns the place behind blanks, colors, and a ` - ` or ` | `.
    private static func skipSeparator(
        in text: Span<UInt8>,
        from start: Int,
        isDashed: inout Bool
    ) -> Int {
        let place = text.skippingBlanks(from: start)
        let byte = text.byte(at: place)
        guard byte == UInt8(ascii: "-") || byte == UInt8(ascii: "|"),
            text.byte(at: place + 1).isBlank
        else { return place }
        isDashed = true
        return text.skippingBlanks(from: place + 1)
    }

    /// Returns where a part ends that is no level: `[main]`, `1234`, `UTC`, and a name before ` - `.
    private static func endOfPart(
        in text: Span<UInt8>,
        from start: Int,
        isDashed: Bool
    ) -> Int? {
        if text.byte(at: start) == UInt8(ascii: "[") {
            return end(ofPartIn: text, from: start, at: UInt8(ascii: "]"))
        }
        guard let last = end(ofPartIn: text, from: start, at: UInt8(ascii: " ")), last > start + 1
        else { return nil }
        let end = last - 1
        if isDashed {
            let byte = text.byte(at: last)
            return byte == UInt8(ascii: "-") || byte == UInt8(ascii: "|") ? end : nil
        }
        var isNumber = true
        for place in start..<end where !text[place].isDigit {
            isNumber = false
        }
        // The abbreviation of a time zone.
        let isZone = 3...5 ~= end - start && text.isUppercase(from: start, to: end)
        return isNumber || isZone ? end : nil
    }

    /// Returns the place behind a byte that ends a part.
    private static func end(
        ofPartIn text: Span<UInt8>,
        from start: Int,
        at last: UInt8
    ) -> Int? {
        guard start < text.count else { return nil }
        for place in start..<Swift.min(start + longestPart, text.count) where text[place] == last {
            return place + 1
        }
        return nil
    }

    /// Returns the level of a word of any case that stands alone.
    private static func levelWord(in text: Span<UInt8>, at start: Int) -> Level? {
        let end = text.skippingLetters(from: start)
        switch text.byte(at: end) {
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: ":"), UInt8(ascii: "]"): break
        case UInt8(ascii: "["), UInt8(ascii: "|"), UInt8(ascii: ")"), 0x1B: break
        default: guard end == text.count else { return nil }
        }
        return LevelWord.level(in: text, from: start, to: end)
    }

    /// Returns where a date and time, or a time of day, ends; nil where there is none.
    private static func endOfTime(in text: Span<UInt8>, from start: Int) -> Int? {
        guard text.byte(at: start).isDigit else { return nil }
        var place = start
        if dates.contains(where: { text.fits($0, at: start) }) {
            place += 10
            guard
                text.byte(at: place) == UInt8(ascii: " ")
                    || text.byte(at: place) == UInt8(ascii: "T")
            else { return nil }
            place += 1
        }
        guard text.fits(clock, at: place) else { return nil }
        place += clock.count
        if text.byte(at: place) == UInt8(ascii: ".") || text.byte(at: place) == UInt8(ascii: ","),
            text.byte(at: place + 1).isDigit
        {
            place += 1
            while text.byte(at: place).isDigit { place += 1 }
        }
        return endOfZone(in: text, from: place)
    }

    /// Returns where `Z`, `+0100` or `+01:00` ends, if there is one.
    private static func endOfZone(in text: Span<UInt8>, from start: Int) -> Int {
        switch text.byte(at: start) {
        case UInt8(ascii: "Z"):
            return start + 1
        case UInt8(ascii: "+"), UInt8(ascii: "-"):
            var place = start + 1
            while text.byte(at: place).isDigit || text.byte(at: place) == UInt8(ascii: ":") {
                place += 1
            }
            return place
        default:
            return start
        }
    }
}
