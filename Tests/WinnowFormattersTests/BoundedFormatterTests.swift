// SPDX-License-Identifier: Apache-2.0

import Testing
import WinnowCore
import WinnowFormatters
import WinnowNetwork
import WinnowTesting

/// Records that are longer than their destination takes.
struct BoundedFormatterTests {
    private static let formatters: [any Formatter] = [
        JSONFormatter(), LogfmtFormatter(), TextFormatter(location: true), TextFormatter(),
        LevelPrefixFormatter(JSONFormatter()), LocalSyslogFormatter(identifier: "a"),
    ]

    /// The last one writes messages, which the lines of the checks do not tell apart.
    @Test(arguments: formatters.indices.dropLast())
    func `the laws of formatters hold`(index: Int) throws {
        try FormatterConformance(BoundedFormatter(Self.formatters[index], byteCount: 1_024))
            .run().verify()
    }

    @Test(arguments: formatters.indices)
    func `a record that fits is as without a bound`(index: Int) throws {
        let formatter = Self.formatters[index]
        fuzzRecords(seed: 20, rounds: 500) { record, _ in
            let line = bytes(of: record, by: formatter)
            let bounded = BoundedFormatter(formatter, byteCount: max(line.count, 1_024))
            try require(bytes(of: record, by: bounded) == line, "another line: \(line)")
        }
    }

    @Test func `a long message keeps its beginning and its end, and says what is missing`() throws {
        let text = String(repeating: "a", count: 20_000) + String(repeating: "z", count: 20_000)
        let bounded = BoundedFormatter(JSONFormatter(), byteCount: 16_384)
        let line = withRecord("\(text)", fields: ["port": 80, "path": "/x"]) {
            bytes(of: $0, by: bounded)
        }
        #expect((16_100...16_384).contains(line.count))
        let members = try #require(ParsedJSON(Array(line.dropLast())).members)
        let message = try members.text(of: "message")
        let match = try #require(message.wholeMatch(of: #/(a+)… \[(\d+) bytes cut\] …(z+)/#))
        #expect(match.1.count + match.3.count + (Int(match.2) ?? 0) == 40_000)
        #expect(match.3.count > 3_500)
        let fields = try #require(members.first { $0.name == Array("fields".utf8) }?.value.members)
        #expect(fields.map { String(decoding: $0.name, as: UTF8.self) } == ["port", "path"])
        #expect(try fields.text(of: "path") == "/x")
        #expect(members.last.map { String(decoding: $0.name, as: UTF8.self) } == "level_sequence")
    }

    @Test func `the longest texts are cut to one length, and the others are whole`() throws {
        let long = String(repeating: "é", count: 9_000)
        let line = withRecord("short", fields: ["one": "\(long)", "two": "\(long)", "three": "3"]) {
            bytes(of: $0, by: BoundedFormatter(LogfmtFormatter(), byteCount: 4_096))
        }
        let pairs = try ParsedLogfmt(Array(line.dropLast())).pairs
        let values = pairs.map { String(decoding: $0.value, as: UTF8.self) }
        #expect(line.count <= 4_096 && line.count > 4_000)
        #expect(values[2] == "short" && values[5] == "3")
        #expect(values[3] == values[4])
        #expect(values[3].wholeMatch(of: #/é+… \[\d+ bytes cut\] …é+/#) != nil)
    }

    @Test func `a long structure is cut to a text, and costs no other field`() throws {
        let fields: Fields = ["first": 1, "list": Array(0..<5_000), "last": "z"]
        let text = String(repeating: "m", count: 200)
        let line = withRecord("\(text)", fields: fields) {
            bytes(of: $0, by: BoundedFormatter(JSONFormatter(), byteCount: 4_096))
        }
        #expect((4_000...4_096).contains(line.count))
        let members = try #require(ParsedJSON(Array(line.dropLast())).members)
        #expect(try members.text(of: "message") == text)
        let kept = try #require(members.first { $0.name == Array("fields".utf8) }?.value.members)
        let names = kept.map { String(decoding: $0.name, as: UTF8.self) }
        #expect(names == ["first", "list", "last"])
        let list = try kept.text(of: "list")
        #expect(list.wholeMatch(of: #/\[0,1,.*… \[\d+ bytes cut\] ….*,4999\]/#) != nil)
        #expect(try kept.text(of: "last") == "z")
        let message = withRecord("\(text)", fields: fields) {
            bytes(of: $0, by: NetworkSyslogFormatter(identifier: "a", byteCount: 2_048))
        }
        let syslog = String(decoding: message, as: UTF8.self)
        #expect(syslog.contains(text) && syslog.contains(#"last="z""#))
    }

    @Test func `fields that have no room are counted`() throws {
        let fields = (0..<500).map { ("field number \($0)", String(repeating: "x", count: 100)) }
        let names = fields.map { Array($0.0.utf8) }
        let line = withRecord(
            messageBytes: Array("m".utf8),
            fields: fields.map { (Array($0.0.utf8), Array($0.1.utf8)) }
        ) {
            bytes(of: $0, by: BoundedFormatter(JSONFormatter(), byteCount: 2_048))
        }
        #expect(line.count <= 2_048 && line.count > 1_900)
        let members = try #require(ParsedJSON(Array(line.dropLast())).members)
        let kept = try #require(members.first { $0.name == Array("fields".utf8) }?.value.members)
        #expect(kept.dropLast().map(\.name) == Array(names.prefix(kept.count - 1)))
        #expect(kept.last?.name == Array("omitted_fields".utf8))
        guard case .number("\(501 - kept.count)") = kept.last?.value else {
            Issue.record("\(String(decoding: line, as: UTF8.self))")
            return
        }
    }

    @Test(arguments: formatters.indices)
    func `names that leave no room are cut as well`(index: Int) throws {
        let long = String(repeating: "\u{1}é", count: 3_000)
        let bounded = BoundedFormatter(Self.formatters[index], byteCount: 1_024)
        let line = withRecord(
            messageBytes: Array(long.utf8),
            fields: Array(repeating: (Array(long.utf8), Array(long.utf8)), count: 20),
            category: long
        ) { bytes(of: $0, by: bounded) }
        #expect(line.count <= 1_024)
        try requireHarmless(line.last == 0x0A ? Array(line.dropLast()) : line)
        let text = String(decoding: line, as: UTF8.self)
        #expect(text.contains(" bytes cut] …") && text.contains("omitted_fields"))
    }

    @Test func `whatever the texts are, a record is no longer, one, and valid`() {
        fuzz(seed: 21, rounds: 400) { generator in
            let byteCount = Int.random(in: 1_024...6_000, using: &generator)
            let fields = (0..<Int.random(in: 0...30, using: &generator)).map { _ in
                (
                    name: Array(
                        String(decoding: generator.long(upTo: 300), as: UTF8.self).utf8
                    ),
                    value: generator.long(upTo: 3_000)
                )
            }
            let message = generator.long(upTo: 20_000)
            try withRecord(messageBytes: message, fields: fields, category: "net") { record in
                Result {
                    for formatter in Self.formatters {
                        let bounded = BoundedFormatter(formatter, byteCount: byteCount)
                        let line = bytes(of: record, by: bounded)
                        try require(line.count <= byteCount, "\(line.count) of \(byteCount)")
                        try requireHarmless(line.last == 0x0A ? Array(line.dropLast()) : line)
                        if formatter is JSONFormatter { _ = try ParsedJSON(Array(line.dropLast())) }
                        if formatter is LogfmtFormatter {
                            _ = try ParsedLogfmt(Array(line.dropLast()))
                        }
                    }
                }
            }
            .get()
        }
    }
}

extension [(name: [UInt8], value: ParsedJSON)] {
    /// The text of a member.
    fileprivate func text(of name: String) throws -> String {
        let member = try #require(first { $0.name == [UInt8](name.utf8) })
        guard case .string(let bytes) = member.value else { return "no text" }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension SeededRandom {
    /// Bytes of which many are what a formatter must look at, a few or many of them.
    fileprivate mutating func long(upTo limit: Int) -> [UInt8] {
        let count = Int.random(in: 0...limit, using: &self)
        var bytes: [UInt8] = []
        // Random bytes are made slowly: what is there comes again.
        while bytes.count < Swift.min(count, 500) { bytes += hostileBytes() + [0x61] }
        while bytes.count < count { bytes += bytes.prefix(count - bytes.count) }
        return bytes
    }
}
