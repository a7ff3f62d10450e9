// SPDX-License-Identifier: Apache-2.0

import Testing
import WinnowCore
import WinnowFormatters
import WinnowTesting

/// The laws of patterns, against random patterns and random records.
struct PatternFuzzTests {
    @Test func `the pattern of text writes what TextFormatter writes`() throws {
        let plain = try PatternFormatter(PatternFormatter.textPattern + "{ (location)}")
        let colored = try PatternFormatter(PatternFormatter.textPattern, color: true)
        fuzzRecords(seed: 11) { record, _ in
            let line = bytes(of: record, by: plain)
            let expected = bytes(of: record, by: TextFormatter(location: true))
            try require(line == expected, "\(line) is not \(expected)")
            let coloredLine = bytes(of: record, by: colored)
            let isSame = coloredLine == bytes(of: record, by: TextFormatter(color: true))
            try require(isSame, "not the same in color: \(coloredLine)")
        }
    }

    @Test func `any pattern that is none has its error within the pattern`() {
        fuzz(seed: 12, rounds: 10_000) { generator in
            let pattern = generator.pattern(hasFaults: true)
            do {
                let formatter = try PatternFormatter(pattern)
                try require(formatter.pattern == pattern, "\(formatter.pattern)")
            } catch let error as PatternError {
                let length = max(pattern.unicodeScalars.count, 1)
                let isWithin = (1...length).contains(error.position)
                try require(isWithin, "\(pattern.debugDescription): at \(error.position)")
                try require(error.pattern == pattern, "another pattern: \(error)")
                try requireHarmless(Array(error.description.utf8))
            }
        }
    }

    @Test func `whatever the pattern, a record is one line without control characters`() {
        fuzz(seed: 13, rounds: 2_000) { generator in
            let pattern = generator.pattern(hasFaults: false)
            let identifier = String(decoding: generator.hostileBytes(), as: UTF8.self)
            var formatter = try PatternFormatter(pattern, identifier: identifier)
            let random = RandomRecord(using: &generator)
            try random.lend { record in
                let line = bytes(of: record, by: formatter)
                try requireOneLine(line, allowing: ["\t"])
                formatter.color = true
                let colored = withoutColor(bytes(of: record, by: formatter))
                try require(colored == line, "\(pattern): \(colored) is not \(line)")
            }
        }
    }

    @Test func `a width is kept by all values`() {
        fuzz(seed: 14, rounds: 4_000) { generator in
            let least = Int.random(in: 1...40, using: &generator)
            let name = generator.name()
            let isQuoted = name.hasSuffix(":quoted")
            let most = Int.random(in: (isQuoted ? 3 : 1)...40, using: &generator)
            let side = Bool.random(using: &generator) ? "<" : ">"
            let bare = try PatternFormatter("{\(name)}")
            let formatter = try PatternFormatter("{\(name):\(side)\(least).\(most)}")
            let random = RandomRecord(using: &generator)
            try random.lend { record in
                let value = Array(try requireOneLine(bytes(of: record, by: bare)).unicodeScalars)
                let line = Array(
                    try requireOneLine(bytes(of: record, by: formatter)).unicodeScalars
                )
                let columns = min(value.count, most)
                try require(line.count == max(columns, least), "\(formatter.pattern): \(line)")
                let shown = side == "<" ? line.prefix(columns) : line.suffix(columns)
                let isLevel = name == "level" || name.hasPrefix("level:")
                let end: [Unicode.Scalar] =
                    if value.count <= most || isLevel {
                        []
                    } else if isQuoted, value.first == "\"" {
                        ["…", "\""]
                    } else {
                        ["…"]
                    }
                let expected = value.prefix(columns - end.count) + end
                try require(Array(shown) == Array(expected), "\(value) as \(line)")
            }
        }
    }
}

extension SeededRandom {
    /// A name with an option, as a pattern spells it.
    fileprivate mutating func name() -> String {
        let names = [
            "time", "time:sec", "time:raw.3", "time:utc", "time:zulu.9", "time:lcl", "time:local.1",
            "time:rfc3339.0", "time:rfc3339-local", "time:rfc3339-local.7", "level", "level:upper",
            "level:number", "level:letter", "category", "category:quoted", "message",
            "message:quoted", "fields", "fields:all", "field:a", "field:a_b", "field:é:quoted",
            "identifier", "identifier:quoted", "process", "thread", "run", "sequence", "LOCATION",
            "level_sequence", "file", "file:quoted", "line", "function", "module",
        ]
        return names.randomElement(using: &self) ?? "message"
    }

    /// A random pattern; without faults it is one that can be read.
    fileprivate mutating func pattern(hasFaults: Bool) -> String {
        var pattern = hasFaults ? "" : "x"
        for _ in 0..<Int.random(in: 0...8, using: &self) {
            switch Int.random(in: 0..<(hasFaults ? 6 : 4), using: &self) {
            case 0:
                pattern +=
                    ["{{", "}}", " ", "plain", "\t", "→ ", "é", "::"].randomElement(using: &self)
                    ?? ""
            case 1, 2, 3:
                let marks = ["", "", "[", " (", "«", "- ", "]", "\u{301}"]
                let width = ["", "", ":<9", ":>9", ":.9", ":<12.3", ":>1000"]
                pattern += "{" + (marks.randomElement(using: &self) ?? "") + name()
                pattern += (width.randomElement(using: &self) ?? "")
                pattern +=
                    (["", "", "] ", ")", "»", " — ", "::", ":: :"].randomElement(using: &self) ?? "")
                    + "}"
            case 4: pattern += faults.randomElement(using: &self) ?? ""
            default: pattern += String(decoding: hostileBytes(), as: UTF8.self)
            }
        }
        return pattern
    }
}

private let faults = [
    "{", "}", "{}", "{:", ":", "{tiem}", "{time:", "{time:<", ":<0", ":<1001", ".",
    "{level:upper:number}",
    "{field}", "{field:", "{field:a b}", "\n", "\r\n", "\u{1B}", "\u{2028}", "{time:rfc3339.",
    "{x{y}",
    "{message says}", "{category:^3}", "\u{301}", "}\u{301}", "{\u{301}time}", "{\u{1F469}\u{200D}",
    "\0",
]
