// SPDX-License-Identifier: Apache-2.0

import Testing
import WinnowCore
import WinnowFormatters
import WinnowInspection
import WinnowTesting

/// What a line of a file is taken for.
struct LogLineTests {
    private func item(_ line: String) -> LogItem {
        LogItem(line: Array(line.utf8)[...])
    }

    /// A line as the formatter writes it, without its end.
    private func line(
        _ message: LogMessage = "m",
        level: Level = .notice,
        fields: Fields = [:],
        sequence: UInt64 = 7,
        levelSequence: UInt64 = 3
    ) -> String {
        var buffer = ByteBuffer()
        withRecord(
            message,
            level: level,
            fields: fields,
            sequence: sequence,
            levelSequence: levelSequence
        ) { JSONFormatter().format($0, into: &buffer) }
        return buffer.withBytes { bytes in
            String(decoding: bytes.indices.dropLast().map { bytes[$0] }, as: UTF8.self)
        }
    }

    private func record(_ line: String) -> NumberedRecord? {
        if case .record(let record) = item(line) { record } else { nil }
    }

    @Test(arguments: Level.allCases)
    func `a record is read as it was written`(level: Level) throws {
        let text = line("\"{[ \\ \u{1B}", level: level, fields: ["f": 1.5, "n": nil])
        let record = try #require(self.record(text))
        #expect(record.run == .init(identity: 0x9F3C_01AA, processID: 10))
        #expect(record.level == level)
        #expect(record.time == 1_795_253_415_123_456)
        #expect(record.sequence == 7 && record.levelSequence == 3)
        #expect(record.lost == [:])
    }

    @Test
    func `a report is one of Winnow's own, and a program's fields are none`() throws {
        let fields: Fields = [
            "winnow_lost": 5, "winnow_lost_debug": 3, "winnow_lost_error": 2,
            "winnow_lost_debug_first": 4, "winnow_lost_debug_last": 9,
            "winnow_lost_first": 8, "winnow_diverted_info": 4, "winnow_excluded_info": 6,
        ]
        let report = try #require(self.record(line(fields: fields, sequence: 0, levelSequence: 0)))
        #expect(report.lost == [.debug: .init(3, first: 4, last: 9), .error: .init(2)])
        #expect(report.diverted == [.info: .init(4)])
        #expect(report.excluded == [.info: .init(6)])
        let forged = try #require(self.record(line(fields: fields)))
        #expect(forged.lost == [:] && forged.diverted == [:] && forged.excluded == [:])
    }

    @Test
    func `the same line has the same fingerprint, and another one another`() {
        #expect(record(line("a")) == record(line("a")))
        #expect(record(line("a"))?.fingerprint != record(line("b"))?.fingerprint)
    }

    @Test
    func `a record without the numbers is one of an earlier Winnow`() {
        let old = line().replacing(#""run":"9f3c01aa","#, with: "")
            .replacing(#","level_sequence":3"#, with: "")
        #expect(item(old) == .unnumbered)
    }

    @Test(arguments: [
        "", "{", "{}", "[]", "null", "panic: oops", #"{"time":"now"}"#,
        #"{"level":"notice","process":1,"sequence":1}"#,
    ])
    func `what is no record is foreign`(text: String) {
        #expect(item(text) == .foreign)
    }

    @Test(arguments: [
        #"{"a":tru}"#, #"{"a":"\u12"}"#, #"{"a":1} x"#, #"{"a":1"#, #"{"a":1}}"#, #"{"a"}"#,
        "{a:1}",
    ])
    func `a record that is no JSON is torn`(fault: String) {
        let record = line(fields: ["a": 1])
        #expect(self.record(record) != nil)
        #expect(item(record.replacing(#"{"a":1}"#, with: fault)) == .torn)
    }

    @Test(arguments: [
        "progress… ", #"{"time":"2026-11-21T0"#, #"{"time":"x"}{"time":"y","fields":"#,
    ])
    func `a record behind something else in its line is found`(front: String) {
        let record = line(fields: ["time": "12:00", "b": 1])
        #expect(record.contains(#""fields":{"time":"12:00""#))
        let bytes = Array((front + record).utf8)[...]
        #expect(LogItem(line: bytes) == .torn)
        #expect(LogItem.whole(behindTorn: bytes) == item(record))
        #expect(LogItem.whole(behindTorn: bytes.dropLast()) == nil)
    }

    @Test
    func `every beginning of a line is torn once it is told from others, and none a fault`() {
        let whole = Array(line("größe", fields: ["a": -1e300, "": "x", "b": nil, "c": true]).utf8)
        let head = #"{"time":""#.utf8.count
        for count in whole.indices {
            #expect(LogItem(line: whole[..<count]) == (count < head ? .foreign : .torn))
        }
        #expect(LogItem(line: whole[...]) != .torn)
    }

    @Test
    func `every end of a line is torn as long as it has its last number`() {
        let whole = Array(line(fields: ["a": 1]).utf8)
        let tail = #""level_sequence":3}"#.utf8.count
        for start in whole.indices.dropFirst() {
            let isTorn = whole.count - start >= tail
            #expect(LogItem(line: whole[start...]) == (isTorn ? .torn : .foreign))
        }
    }

    @Test
    func `values deep in each other are foreign`() {
        let depth = 100_000
        let deep = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        #expect(item("{\"a\":\(deep)}") == .foreign)
        let objects = String(repeating: "{\"a\":", count: depth)
        #expect(item(objects) == .foreign)
    }

    @Test(
        arguments: [
            ("2026-11-21T09:30:15.123456Z", 1_795_253_415_123_456),
            ("1970-01-01T00:00:00.000000Z", 0),
            ("2000-02-29T23:59:59.999999Z", 951_868_799_999_999),
            ("2026-11-21 09:30:15.123456Z", nil), ("2026-13-21T09:30:15.123456Z", nil),
        ] as [(String, UInt64?)]
    )
    func `times are read to the microsecond`(text: String, microseconds: UInt64?) {
        let read = record(line().replacing("2026-11-21T09:30:15.123456Z", with: text))
        #expect(read?.time == microseconds)
    }
}
