// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// Marks that are the value of a key, in JSON and logfmt; they stay in the text.
extension LevelMark {
    /// The keys, in lower case.
    ///
    /// Source: logrus, zap, slog; Google Cloud Logging; log15; Python's JSON formatters; the Elastic
    /// Common Schema.
    private static let keys = [
        "level", "severity", "lvl", "loglevel", "levelname", "log.level",
    ].map { Array($0.utf8) }

    /// Finds the level of a JSON object: `{"time":"…","level":"info","msg":"text"}`.
    ///
    /// Only keys of the object itself count, and the first that has a level.
    init?(ofObjectIn text: Span<UInt8>, at start: Int) {
        var place = start
        var depth = 0
        var isKeyNext = false
        while place < text.count {
            switch text[place] {
            case UInt8(ascii: "{"):
                depth += 1
                isKeyNext = depth == 1
            case UInt8(ascii: "["):
                depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0 { return nil }
            case UInt8(ascii: ","):
                isKeyNext = depth == 1
            case UInt8(ascii: "\""):
                guard let end = LevelMark.endOfString(in: text, from: place + 1) else { return nil }
                if isKeyNext, LevelMark.isKey(text, from: place + 1, to: end),
                    let level = LevelMark.memberLevel(in: text, from: end + 1)
                {
                    self.init(level)
                    return
                }
                isKeyNext = false
                place = end
            default:
                break
            }
            place += 1
        }
        return nil
    }

    /// Finds the level of a line of pairs: `time=… level=warn msg="text"`.
    ///
    /// The line must begin with pairs, and those in front of the level's all be such.
    init?(ofPairsIn text: Span<UInt8>, at start: Int) {
        var place = start
        while place < text.count {
            let key = place
            while LevelMark.isOfKey(text.byte(at: place)) { place += 1 }
            let equals = place
            guard equals > key, text.byte(at: equals) == UInt8(ascii: "=") else { return nil }
            var (value, end) = (equals + 1, equals + 1)
            if text.byte(at: value) == UInt8(ascii: "\"") {
                value += 1
                guard let quote = LevelMark.endOfString(in: text, from: value) else { return nil }
                (end, place) = (quote, quote + 1)
            } else {
                while end < text.count, !text[end].isBlank { end += 1 }
                place = end
            }
            if LevelMark.isKey(text, from: key, to: equals),
                let level = LevelWord.level(ofValueIn: text, from: value, to: end)
            {
                self.init(level)
                return
            }
            place = text.skippingBlanks(from: place)
        }
        return nil
    }

    /// Returns the level behind a key of JSON: `: "info"`, `: 30`.
    private static func memberLevel(in text: Span<UInt8>, from start: Int) -> Level? {
        let colon = text.skippingBlanks(from: start)
        guard text.byte(at: colon) == UInt8(ascii: ":") else { return nil }
        let value = text.skippingBlanks(from: colon + 1)
        if text.byte(at: value) == UInt8(ascii: "\"") {
            guard let end = endOfString(in: text, from: value + 1) else { return nil }
            return LevelWord.level(ofValueIn: text, from: value + 1, to: end)
        }
        guard text.byte(at: value).isDigit else { return nil }
        var end = value
        while !",} \t".utf8.contains(text.byte(at: end)), end < text.count { end += 1 }
        return LevelWord.level(ofValueIn: text, from: value, to: end)
    }

    /// Returns where the quotation mark stands that ends a string; nil where none does.
    private static func endOfString(in text: Span<UInt8>, from start: Int) -> Int? {
        var place = start
        while place < text.count {
            switch text[place] {
            case UInt8(ascii: "\""): return place
            case UInt8(ascii: "\\"): place += 2
            default: place += 1
            }
        }
        return nil
    }

    private static func isKey(_ text: Span<UInt8>, from start: Int, to end: Int) -> Bool {
        keys.contains { key in
            guard key.count == end - start else { return false }
            // Of the bytes in keys, only capitals become others by this bit.
            return key.indices.allSatisfy { text[start + $0] | 0x20 == key[$0] }
        }
    }

    private static func isOfKey(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: ".")
    }
}
