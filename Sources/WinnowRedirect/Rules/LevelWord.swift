// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// The words and numbers by which lines name a level.
enum LevelWord {
    /// The names of other logs that ``Level/init(parsing:)`` does not know.
    ///
    /// `fatal` is the end of a process, not of a system. Source: log4j, glog, java.util.logging,
    /// os.Logger, .NET's console logger, Serilog, zerolog.
    private static let foreign: [(name: String, level: Level)] = [
        ("fatal", .critical), ("fault", .critical), ("ftl", .critical),
        ("severe", .error), ("fail", .error), ("wrn", .warning),
        ("information", .info), ("informational", .info), ("inf", .info),
        ("verbose", .debug), ("dbug", .debug), ("dbg", .debug), ("trce", .debug), ("trc", .debug),
    ]

    /// The names, packed so that comparing is one operation.
    private static let words: [(packed: UInt128, level: Level)] =
        (Level.spellings.filter { $0.name.utf8.allSatisfy(\.isLetter) } + foreign)
        .map { (pack($0.name.utf8.span, from: 0, to: $0.name.utf8.count) ?? 0, $0.level) }

    /// Returns the level of a word, in any case.
    static func level(in text: Span<UInt8>, from start: Int, to end: Int) -> Level? {
        guard let packed = pack(text, from: start, to: end) else { return nil }
        for word in words where word.packed == packed {
            return word.level
        }
        return nil
    }

    /// Returns the level of the value of a key: a word, with slog's `+2` behind it or without, or a
    /// number.
    static func level(ofValueIn text: Span<UInt8>, from start: Int, to end: Int) -> Level? {
        if text.byte(at: start).isDigit { return number(in: text, from: start, to: end) }
        var place = start
        while place < end, text[place].isLetter { place += 1 }
        let level = level(in: text, from: start, to: place)
        guard place < end else { return level }
        let sign = text[place]
        guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), place + 1 < end else {
            return nil
        }
        for digit in place + 1..<end where !text[digit].isDigit {
            return nil
        }
        return level
    }

    /// Returns the level of a number: syslog's to 7, those of pino and Bunyan from 10 to 60.
    private static func number(in text: Span<UInt8>, from start: Int, to end: Int) -> Level? {
        guard 1...2 ~= end - start else { return nil }
        var number: UInt8 = 0
        for place in start..<end {
            guard text[place].isDigit else { return nil }
            number = number * 10 + (text[place] - UInt8(ascii: "0"))
        }
        switch number {
        case 0...7 where end - start == 1: return Level(rawValue: number)
        case 10, 20: return .debug
        case 30: return .info
        case 40: return .warning
        case 50: return .error
        case 60: return .critical
        default: return nil
        }
    }

    /// Returns the letters of a word in lower case, as a number; nil where it has other bytes or
    /// cannot be a level.
    private static func pack(_ text: Span<UInt8>, from start: Int, to end: Int) -> UInt128? {
        guard 3...15 ~= end - start else { return nil }
        var packed: UInt128 = 0
        for place in start..<end {
            guard text[place].isLetter else { return nil }
            packed = packed &<< 8 | UInt128(text[place] | 0x20)
        }
        return packed
    }
}
