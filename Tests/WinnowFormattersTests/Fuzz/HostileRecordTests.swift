// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WinnowCore
import WinnowFormatters
import WinnowNetwork
import WinnowTesting

/// The laws of each formatter, against records of random parts.
struct HostileRecordTests {
    @Test func `text is one line without control characters`() {
        fuzzRecords(seed: 1) { record, _ in
            let line = bytes(of: record, by: TextFormatter(location: true))
            let text = try requireOneLine(line)
            let start = text.prefix { $0 != " " }
            try require(start.utf8.count == 27 && start.hasSuffix("Z"), "no time: \(text)")
            let level = text.dropFirst(28).prefix { $0 != " " }
            try require(level == record.level.description, "no level: \(text)")
        }
    }

    @Test func `text in color has no command but its own`() {
        fuzzRecords(seed: 2) { record, _ in
            let line = bytes(of: record, by: TextFormatter(time: .none, color: true))
            try requireOneLine(withoutColor(line))
        }
    }

    @Test func `text for the journal is one line that begins with its level`() {
        fuzzRecords(seed: 3) { record, random in
            let line = bytes(of: record, by: TextFormatter(levelPrefix: true))
            let beginning = "<\(random.level.rawValue)>\(random.level) "
            try require(line.starts(with: beginning.utf8), "no level: \(line)")
            try requireOneLine(line)
        }
    }

    @Test func `logfmt is one line that a parser turns back`() {
        fuzzRecords(seed: 4) { record, random in
            let line = try requireOneLine(bytes(of: record, by: LogfmtFormatter()))
            let pairs = try ParsedLogfmt(Array(line.utf8)).pairs
            var expected: [(name: [UInt8], value: [UInt8])] = [
                (Array("time".utf8), rfc3339(random.timestamp)),
                (Array("level".utf8), Array(random.level.description.utf8)),
            ]
            if !random.category.isEmpty {
                expected.append((Array("category".utf8), Array(random.category.utf8)))
            }
            expected.append((Array("msg".utf8), repaired(random.message)))
            try requireSame(Array(pairs.prefix(expected.count)), expected) { $0 == $1 }
            try require(
                Set(pairs.map(\.name)).count == pairs.count,
                "a name twice: \(pairs.map { String(decoding: $0.name, as: UTF8.self) })"
            )
            let fields = random.fields.map { (cleaned($0.name), $0.value.logfmtText) }
            let reserved = ["time", "level", "category", "msg"]
            try requireSame(Array(pairs.dropFirst(expected.count)), fields, reserved: reserved) {
                $0 == $1
            }
        }
    }

    @Test func `JSON is one line that a parser turns back, value by value`() {
        fuzzRecords(seed: 5) { record, random in
            let line = try requireOneLine(bytes(of: record, by: JSONFormatter()))
            let members = try ParsedJSON(Array(line.utf8)).members ?? []
            let hasPlace = !random.file.isEmpty
            let names =
                ["time", "level"] + (random.category.isEmpty ? [] : ["category"]) + ["message"]
                + (random.fields.isEmpty ? [] : ["fields"])
                + (hasPlace ? ["file", "line", "function", "module"] : [])
                + ["thread", "process", "run", "sequence", "level_sequence"]
            try require(members.map(\.name) == names.map { Array($0.utf8) }, "order: \(line)")
            for (name, value) in members {
                let name = String(decoding: name, as: UTF8.self)
                if name == "fields" {
                    let expected = random.fields.map { ($0.name, $0.value) }
                    try requireSame(value.members ?? [], expected) { $0.equals($1) }
                } else {
                    let isRight = value.equals(random.member(name))
                    try require(isRight, "\(name) is \(value), not \(random.member(name))")
                }
            }
        }
    }

    @Test func `JSON is what Foundation's decoder takes`() {
        struct Line: Decodable {
            let message: String
            let level: String
            let sequence: UInt64
            let thread: Int32
        }
        fuzzRecords(seed: 6, rounds: 1_500) { record, random in
            let line = bytes(of: record, by: JSONFormatter())
            let decoded = try JSONDecoder().decode(Line.self, from: Data(line))
            let message = Array(decoded.message.utf8)
            try require(message == repaired(random.message), "message: \(line)")
            try require(decoded.sequence == random.sequence, "sequence: \(line)")
            try require(decoded.thread == random.threadID, "thread: \(line)")
            try require(decoded.level == random.level.description, "level: \(line)")
        }
    }

    @Test func `local syslog is one message without control characters`() {
        let formatter = LocalSyslogFormatter(identifier: "a\nb", facility: .daemon)
        fuzzRecords(seed: 7) { record, random in
            let message = try requireHarmless(bytes(of: record, by: formatter))
            let head = #/<(\d+)>[A-Z][a-z][a-z] [ \d]\d \d\d:\d\d:\d\d a_b\[(-?\d+)\]: /#
            let match = message.prefixMatch(of: head)
            try require(match?.1 == "\(24 + random.level.rawValue)", "priority: \(message)")
            try require(match?.2 == "\(random.processID)", "process: \(message)")
        }
    }

    @Test func `network syslog is one message without control characters, of a bounded length`() {
        let formatter = NetworkSyslogFormatter(identifier: "a\nb", byteCount: 1_024, host: "\n")
        fuzzRecords(seed: 10) { record, _ in
            let message = bytes(of: record, by: formatter)
            try require(message.count <= formatter.byteCount, "\(message.count) bytes")
            _ = try requireHarmless(message)
        }
    }

    @Test func `every line for the journal has its level, and together they are the record`() {
        fuzz(seed: 8, rounds: 16) { generator in
            let random = RandomRecord(using: &generator)
            var long: [UInt8] = []
            let count = Int.random(in: 0...100_000, using: &generator)
            // Random bytes are made slowly: what is there comes again.
            while long.count < min(count, 4_000) { long += generator.hostileBytes() }
            while long.count < count { long += long.prefix(count - long.count) }
            let prefix = "<\(random.level.rawValue)>"
            try withRecord(messageBytes: long, level: random.level) { record in
                Result {
                    for formatter in [JSONFormatter(), LogfmtFormatter()]
                        as [any WinnowCore.Formatter]
                    {
                        let whole = try requireOneLine(bytes(of: record, by: formatter))
                        let stream = bytes(of: record, by: LevelPrefixFormatter(formatter))
                        try require(stream.last == 0x0A, "no line feed at the end")
                        let lines = stream.dropLast().split(
                            separator: 0x0A,
                            omittingEmptySubsequences: false
                        )
                        let areRight = lines.allSatisfy {
                            $0.starts(with: prefix.utf8) && $0.count <= 40 * 1_024 + 3
                        }
                        try require(areRight, "\(lines.count) lines")
                        for line in lines { try requireHarmless(Array(line)) }
                        let joined = lines.flatMap { $0.dropFirst(prefix.utf8.count) }
                        try require(joined == Array(whole.utf8), "not the record")
                    }
                }
            }.get()
        }
    }

    @Test func `no formatter shows a private value`() throws {
        let formatters: [any WinnowCore.Formatter] = [
            TextFormatter(), JSONFormatter(), LogfmtFormatter(),
            LocalSyslogFormatter(identifier: "a"), LevelPrefixFormatter(JSONFormatter()),
            try PatternFormatter("{message} {fields:all} {field:user} {field:user:quoted}"),
        ]
        fuzz(seed: 9, rounds: 1_000) { generator in
            // Letters that stand in nothing else, and hostile ones around them.
            let before = String(decoding: generator.hostileBytes(), as: UTF8.self)
            let secret = "\(before)sEcReT\(before)"
            for policy in [PrivacyPolicy.redact, .hash] {
                let shown = withRecord(
                    "user \(secret, as: "user", privacy: .private) \(before, privacy: .public)",
                    privacy: policy
                ) { record in
                    formatters.map { bytes(of: record, by: $0) }
                }
                for line in shown {
                    let text = try requireHarmless(line, allowing: ["\n"])
                    try require(!text.contains("sEcReT"), "shows it: \(text)")
                    let isMasked = policy == .hash || text.contains("<private>")
                    try require(isMasked, "does not mask it: \(text)")
                }
            }
        }
    }
}

/// Throws unless parsed pairs are the expected ones, in their order.
///
/// No name may occur twice: a name that did has a number behind it.
private func requireSame<Parsed, Value>(
    _ parsed: [(name: [UInt8], value: Parsed)],
    _ expected: [(name: [UInt8], value: Value)],
    reserved: [String] = [],
    areEqual: (Parsed, Value) -> Bool
) throws {
    try require(parsed.count == expected.count, "\(parsed.count) of \(expected.count) pairs")
    try require(
        Set(parsed.map(\.name)).count == parsed.count,
        "a name twice: \(parsed.map { String(decoding: $0.name, as: UTF8.self) })"
    )
    var seen = Set(reserved.map { Array($0.utf8) })
    for (found, meant) in zip(parsed, expected) {
        let isRepeated = !seen.insert(meant.name).inserted
        let number = found.name.dropFirst(meant.name.count + 1)
        let isNumbered =
            found.name.starts(with: meant.name + [UInt8(ascii: "_")]) && !number.isEmpty
            && number.allSatisfy { (0x30...0x39).contains($0) }
        try require(
            isRepeated ? isNumbered : found.name == meant.name,
            "\(String(decoding: found.name, as: UTF8.self)) for \(meant)"
        )
        try require(areEqual(found.value, meant.value), "\(found) for \(meant)")
    }
}

/// Bytes as a Swift text has them: what is not UTF-8 is U+FFFD.
private func repaired(_ bytes: [UInt8]) -> [UInt8] {
    Array(String(decoding: bytes, as: UTF8.self).utf8)
}

/// A name in which what would end it, or do harm, is `_`.
private func cleaned(_ name: [UInt8]) -> [UInt8] {
    let scalars = String(decoding: name, as: UTF8.self).unicodeScalars
    let text = scalars.map { scalar -> String in
        scalar.isHarmful || " =\"\\".unicodeScalars.contains(scalar) ? "_" : String(scalar)
    }
    return Array((text.isEmpty ? "_" : text.joined()).utf8)
}

private func rfc3339(_ timestamp: UInt64) -> [UInt8] {
    var buffer = ByteBuffer()
    buffer.append(rfc3339: CivilTime(timestamp))
    return contents(of: buffer)
}

/// A line without the terminal's commands that are the library's own.
func withoutColor(_ line: [UInt8]) -> [UInt8] {
    var plain = String(decoding: line, as: UTF8.self)
    for own in ["0", "1", "2", "31", "33", "1;31"] {
        plain = plain.replacingOccurrences(of: "\u{1B}[\(own)m", with: "", options: .literal)
    }
    return Array(plain.utf8)
}

extension RandomRecord {
    /// The value of a member of a line of JSON.
    fileprivate func member(_ name: String) -> Value {
        switch name {
        case "time": .text(rfc3339(timestamp))
        case "level": .text(Array(level.description.utf8))
        case "category": .text(Array(category.utf8))
        case "message": .text(message)
        case "file": .text(file)
        case "line": .unsigned(UInt64(line))
        case "function": .text(function)
        case "module": .text(Array("Module".utf8))
        case "thread": .integer(Int64(threadID))
        case "process": .integer(Int64(processID))
        case "run":
            .text(
                Array(String(repeating: "0", count: run.leadingZeroBitCount / 4).utf8)
                    + (run == 0 ? [] : Array(String(run, radix: 16).utf8))
            )
        case "sequence": .unsigned(sequence)
        case "level_sequence": .unsigned(levelSequence)
        default: .null
        }
    }
}

extension RandomRecord.Value {
    /// The value as logfmt has it, which has no types.
    fileprivate var logfmtText: [UInt8] {
        switch self {
        case .text(let bytes): repaired(bytes)
        case .integer(let number): Array("\(number)".utf8)
        case .unsigned(let number): Array("\(number)".utf8)
        case .double(let number): Array("\(number)".utf8)
        case .bool(let truth): Array("\(truth)".utf8)
        case .null: Array("null".utf8)
        }
    }
}

extension ParsedJSON {
    /// Whether the value is that of a field, with its type and to the last bit.
    fileprivate func equals(_ value: RandomRecord.Value) -> Bool {
        switch (self, value) {
        case (.string(let found), .text(let meant)): found == repaired(meant)
        case (.number(let found), .integer(let meant)): found == "\(meant)"
        case (.number(let found), .unsigned(let meant)): found == "\(meant)"
        case (.number(let found), .double(let meant)):
            meant.isFinite && Double(found)?.bitPattern == meant.bitPattern
        case (.string(let found), .double(let meant)):
            found
                == Array((meant.isNaN ? "NaN" : meant < 0 ? "-Infinity" : "Infinity").utf8)
                && !meant.isFinite
        case (.bool(let found), .bool(let meant)): found == meant
        case (.null, .null): true
        default: false
        }
    }
}
