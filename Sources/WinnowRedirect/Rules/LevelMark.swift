// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// The level that a line carries itself.
///
/// A mark is taken off the text where the line begins with it and it can be nothing else: `<6>`,
/// `[INFO]` and `INFO:`. It stays where something stands in front of it, and where it may be a word of
/// the text, as in `ERROR 404`.
struct LevelMark {
    let level: Level
    /// Where the text begins behind the mark; 0 where the mark stays.
    let end: Int

    init(_ level: Level, end: Int = 0) {
        self.level = level
        self.end = end
    }

    /// Finds the mark of a line; nil where it has none.
    ///
    /// Looks at each byte a few times at most, so that the time grows with the length only.
    init?(in text: Span<UInt8>) {
        let start = text.skippingBlanks(from: 0)
        let mark: LevelMark? =
            switch text.byte(at: start) {
            case UInt8(ascii: "<"): LevelMark(priorityIn: text, at: start)
            case UInt8(ascii: "["):
                LevelMark(inBracketsOf: text, at: start) ?? LevelMark(behindTimeIn: text, at: start)
            case UInt8(ascii: "{"): LevelMark(ofObjectIn: text, at: start)
            case UInt8(ascii: "("), UInt8(ascii: "*"): LevelMark(ofGLibIn: text, at: start)
            case let byte where byte.isDigit: LevelMark(behindTimeIn: text, at: start)
            case let byte where byte.isLetter:
                LevelMark(wordIn: text, at: start) ?? LevelMark(ofGlogIn: text, at: start)
                    ?? LevelMark(ofPairsIn: text, at: start) ?? LevelMark(ofGLibIn: text, at: start)
            default: nil
            }
        guard let mark else { return nil }
        self = mark
    }

    /// The prefix of a line for the journal: `<6>text`.
    ///
    /// Source: sd-daemon(3).
    private init?(priorityIn text: Span<UInt8>, at start: Int) {
        guard text.fits(LevelMark.priority, at: start),
            let level = Level(rawValue: text[start + 1] - UInt8(ascii: "0"))
        else { return nil }
        self.init(level, end: text.skippingBlanks(from: start + 3))
    }

    /// A word in brackets: `[INFO] text`, `[warning]: text`, `[ INFO ] text`.
    init?(inBracketsOf text: Span<UInt8>, at start: Int) {
        let first = text.skippingBlanks(from: start + 1)
        let last = text.skippingLetters(from: first)
        let bracket = text.skippingBlanks(from: last)
        guard text.byte(at: bracket) == UInt8(ascii: "]"),
            let level = LevelWord.level(in: text, from: first, to: last)
        else { return nil }
        var end = text.skippingStyle(from: bracket + 1)
        if text.byte(at: end) == UInt8(ascii: ":") { end += 1 }
        self.init(level, end: text.skippingBlanks(from: end))
    }

    /// A word and a colon: `INFO: text`, `Warning: text`, `WARNING:root:text`; or a word in capitals,
    /// which stays: `WARN text`.
    private init?(wordIn text: Span<UInt8>, at start: Int) {
        let last = text.skippingLetters(from: start)
        let next = text.skippingStyle(from: last)
        let isCapital = text.isUppercase(from: start, to: last)
        if text.byte(at: next) == UInt8(ascii: ":") {
            let end = text.skippingBlanks(from: next + 1)
            // `error::Kind` and `info://host` are no marks, nor is `trace:1`.
            guard text.byte(at: end) != UInt8(ascii: ":"), text.byte(at: end) != UInt8(ascii: "/"),
                isCapital || end > next + 1 || end == text.count,
                let level = LevelWord.level(in: text, from: start, to: last)
            else { return nil }
            self.init(level, end: end)
        } else {
            guard isCapital, next == text.count || text.byte(at: next).isBlank,
                let level = LevelWord.level(in: text, from: start, to: last)
            else { return nil }
            self.init(level)
        }
    }

    private static let priority = Array("<0>".utf8)
}

extension Span<UInt8> {
    /// The place behind the letters at a place.
    func skippingLetters(from start: Int) -> Int {
        var place = start
        while byte(at: place).isLetter { place += 1 }
        return place
    }

    /// The place behind blanks and colors.
    func skippingBlanks(from start: Int) -> Int {
        var place = start
        while true {
            let byte = byte(at: place)
            if byte.isBlank {
                place += 1
            } else if byte == 0x1B, case let end = skippingStyle(from: place), end > place {
                place = end
            } else {
                return place
            }
        }
    }

    /// The place behind the sequences that set the colors of a terminal: `ESC [ 1 ; 31 m`.
    ///
    /// Source: ECMA-48, SGR.
    func skippingStyle(from start: Int) -> Int {
        var place = start
        while byte(at: place) == 0x1B, byte(at: place + 1) == UInt8(ascii: "[") {
            var end = place + 2
            while byte(at: end).isDigit || byte(at: end) == UInt8(ascii: ";") { end += 1 }
            guard byte(at: end) == UInt8(ascii: "m") else { break }
            place = end + 1
        }
        return place
    }

    func isUppercase(from start: Int, to end: Int) -> Bool {
        for place in start..<end where !self[place].isUppercase {
            return false
        }
        return true
    }
}
