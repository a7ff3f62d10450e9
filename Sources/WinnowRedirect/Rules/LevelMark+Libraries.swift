// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// The marks of glog and of GLib, behind or within which stands what belongs to the text.
extension LevelMark {
    private static let glogDates = ["0000 00:00:00", "00000000 00:00:00"].map { Array($0.utf8) }

    /// Finds the level of a line of glog, of Abseil or klog: `I0923 12:34:56.789012 1 main.cc:9] text`.
    ///
    /// Source: glog, "Log line prefix format". Its FATAL ends the process.
    init?(ofGlogIn text: Span<UInt8>, at start: Int) {
        let level: Level
        switch text.byte(at: start) {
        case UInt8(ascii: "D"): level = .debug
        case UInt8(ascii: "I"): level = .info
        case UInt8(ascii: "W"): level = .warning
        case UInt8(ascii: "E"): level = .error
        case UInt8(ascii: "F"): level = .critical
        default: return nil
        }
        guard LevelMark.glogDates.contains(where: { text.fits($0, at: start + 1) }) else {
            return nil
        }
        self.init(level)
    }

    /// The levels of GLib, as GLib itself gives them to syslog.
    ///
    /// Source: GLib, gmessages.c, `log_level_to_priority` and `mklevel_prefix`.
    private static let glibLevels: [(name: [UInt8], level: Level)] = [
        ("ERROR", Level.error), ("CRITICAL", .warning), ("WARNING", .warning),
        ("Message", .notice), ("INFO", .info), ("DEBUG", .debug),
    ].map { (Array($0.utf8), $1) }

    private static let stars = Array("** ".utf8)
    private static let alert = Array(" **".utf8)
    private static let glibTime = Array(": 00:00:00.000: ".utf8)
    /// The longest `(prog:123)` in bytes: the name of a file, and a number.
    private static let longestProgram = 300

    /// Finds the level of a line of GLib: `(prog:123): GLib-CRITICAL **: 12:34:56.789: text`,
    /// `** (process:1): WARNING **: text`, `Gtk-Message: 12:34:56.789: text`.
    init?(ofGLibIn text: Span<UInt8>, at start: Int) {
        var place = start
        if text.fits(LevelMark.stars, at: place) { place += LevelMark.stars.count }
        if text.byte(at: place) == UInt8(ascii: "(") {
            guard let end = LevelMark.endOfProgram(in: text, from: place) else { return nil }
            place = end
        }
        let isMarked = place > start
        guard let (level, end) = LevelMark.glibLevel(in: text, from: place) else { return nil }
        place = text.skippingStyle(from: end)
        if text.fits(LevelMark.alert, at: place) { place += LevelMark.alert.count }
        guard
            isMarked
                ? text.byte(at: place) == UInt8(ascii: ":")
                : text.fits(LevelMark.glibTime, at: place)
        else { return nil }
        self.init(level)
    }

    /// Returns the level behind the domain, if there is one: `GLib-GIO-CRITICAL`.
    private static func glibLevel(in text: Span<UInt8>, from start: Int) -> (Level, end: Int)? {
        var (place, word) = (start, start)
        while true {
            let byte = text.byte(at: place)
            if byte == UInt8(ascii: "-") {
                // A color may stand in front of the level.
                place = text.skippingStyle(from: place + 1)
                word = place
            } else if byte > UInt8(ascii: " "), byte != UInt8(ascii: ":") {
                place += 1
            } else {
                break
            }
        }
        if place == start { word = text.skippingStyle(from: start) }
        // Most lines of prose end here.
        guard text.byte(at: word).isUppercase else { return nil }
        for (name, level) in glibLevels where text.fits(name, at: word) {
            return (level, word + name.count)
        }
        return nil
    }

    /// Returns where `(prog:123): ` ends.
    private static func endOfProgram(in text: Span<UInt8>, from start: Int) -> Int? {
        var place = start + 1
        var (digits, isNumbered) = (0, false)
        while place < text.count, place - start < longestProgram {
            let byte = text[place]
            if byte == UInt8(ascii: ")"), isNumbered, digits > 0 {
                guard text.byte(at: place + 1) == UInt8(ascii: ":") else { return nil }
                return text.skippingBlanks(from: place + 2)
            }
            if byte == UInt8(ascii: ":") {
                (digits, isNumbered) = (0, true)
            } else if byte.isDigit {
                digits += 1
            } else {
                (digits, isNumbered) = (0, false)
            }
            place += 1
        }
        return nil
    }
}
