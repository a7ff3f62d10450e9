// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import Winnow
import WinnowStore

/// From a log call to the journal, and back.
@Suite(.timeLimit(.minutes(30)), .enabled(if: Journal.isReachable, Journal.reason))
struct LogStoreTests {
    private let identifier = Journal.uniqueIdentifier()

    private var own: LogStore.Entries {
        LogStore.journal.entries(matching: [.identifier(identifier)])
    }

    @Test func `what a program logged comes back with everything that it said`() throws {
        try Journal.log(["say=hello", "fields"], as: identifier, count: 2)
        let entries = try own.read()
        let first = try #require(entries.first)
        #expect(first.level == .notice)
        #expect(first.message == "hello")
        #expect(first.identifier == identifier)
        #expect(first.category == "program")
        #expect(first.sequence == 1)
        #expect(first.location?.fileID == "LogProgram/main.swift")
        #expect(first.location?.module == "LogProgram")
        #expect(first.location?.function == "run(_:_:)")
        #expect(first.location?.line ?? 0 > 0)
        #expect(first.processID == first["_PID"].flatMap { Int32($0) })
        #expect(first.threadID == first["TID"].flatMap { Int32($0) })
        #expect(first.isComplete)
        #expect(entries.last?["REQUEST_ID"] == "r1")
        #expect(entries.last?.sequence == 2)
    }

    @Test func `the time of an entry is that of the log call`() throws {
        try Journal.log(["say=hello"], as: identifier, count: 1)
        let entry = try #require(own.read().first)
        let event = try #require(entry["WINNOW_TIMESTAMP"].flatMap { UInt64($0) })
        #expect(entry.timestamp == event * 1_000)
        #expect(entry.timestamp <= entry.receiptTimestamp)
        Journal.send("by hand", as: identifier)
        try Journal.await(identifier, count: 2)
        let other = try #require(own.read().last)
        let sent = try #require(other["_SOURCE_REALTIME_TIMESTAMP"].flatMap { UInt64($0) })
        #expect(other.timestamp == sent * 1_000)
    }

    @Test func `the eight levels come back, and an entry without one has none`() throws {
        try Journal.log(["levels"], as: identifier, count: 8)
        Journal.send([("MESSAGE", [0x6D]), ("SYSLOG_IDENTIFIER", Array(identifier.utf8))])
        Journal.send([
            ("PRIORITY", Array("warning".utf8)), ("SYSLOG_IDENTIFIER", Array(identifier.utf8)),
        ])
        try Journal.await(identifier, count: 10)
        let entries = try own.read()
        #expect(entries.map(\.level) == Level.allCases + [nil, nil])
        #expect(entries.last?.message == "")
        let leveled = LogStore.journal.entries(matching: [.identifier(identifier), .levels(.all)])
        #expect(try leveled.read().count == 8)
    }

    @Test func `a message of 200 KiB comes back whole`() throws {
        try Journal.log(["big=204800"], as: identifier, count: 1)
        #expect(try own.read().first?.message == String(repeating: "x", count: 204_800))
    }

    @Test func `a value that no compression makes smaller comes back byte by byte`() throws {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<150_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        Journal.send([("BLOB", bytes), ("SYSLOG_IDENTIFIER", Array(identifier.utf8))])
        try Journal.await(identifier, count: 1)
        let entry = try #require(own.read().first)
        let isSame = entry.fields(named: "BLOB").map(\.bytes) == [bytes]
        #expect(isSame)
        #expect(entry.isComplete)
    }

    @Test func `a field that occurs more than once has all its values`() throws {
        let values: [[UInt8]] = [[0x61], [0x00, 0x0A, 0x3D, 0xFF], []]
        Journal.send(
            values.map { ("TWICE", $0) } + [("SYSLOG_IDENTIFIER", Array(identifier.utf8))]
        )
        try Journal.await(identifier, count: 1)
        let entry = try #require(own.read().first)
        #expect(Set(entry.fields(named: "TWICE").map(\.bytes)) == Set(values))
        #expect(entry.fields(named: "TWICE").map(\.name) == ["TWICE", "TWICE", "TWICE"])
        #expect(entry.fields.filter { $0.name == "TWICE" }.count == 3)
        #expect(entry.fields(named: "ONCE").isEmpty && entry["ONCE"] == nil)
        let bytes = LogStore.Match.field("TWICE", bytes: values[1])
        let matching = LogStore.journal.entries(matching: [bytes, .identifier(identifier)])
        #expect(try matching.read().count == 1)
    }

    @Test func `an entry's description is one harmless line`() throws {
        Journal.send([
            ("MESSAGE", Array("a\u{1B}[2J\nb".utf8)), ("PRIORITY", [0x33]),
            ("CATEGORY", Array("net".utf8)), ("SYSLOG_IDENTIFIER", Array(identifier.utf8)),
            ("_SOURCE_REALTIME_TIMESTAMP", [0x30]),
        ])
        try Journal.await(identifier, count: 1)
        let entry = try #require(own.read().first)
        let text = entry.description
        #expect(text.hasSuffix(#"] [net] a\u{1b}[2J\nb"#))
        #expect(
            text.dropFirst(27).hasPrefix("Z error   \(identifier)[") || text.contains("Z error")
        )
        #expect(entry.message == "a\u{1B}[2J\nb")
    }

    @Test func `the empty set of levels matches nothing`() async throws {
        try Journal.log(["levels"], as: identifier, count: 8)
        let none = LogStore.journal.entries(matching: [.identifier(identifier), .levels([])])
        #expect(try none.read().isEmpty)
        for try await entry in none { Issue.record("\(entry)") }
        // As of one field, one must hold.
        let one = LogStore.journal.entries(
            matching: [.identifier(identifier), .levels([]), .levels(.error)]
        )
        #expect(try one.read().count == 1)
    }

    @Test func `a reading goes on behind the cursor where another ended`() async throws {
        try Journal.log(["levels"], as: identifier, count: 8)
        var levels: [Level?] = []
        var position = LogStore.Position.start
        while true {
            let query = LogStore.journal.entries(
                matching: [.identifier(identifier)],
                from: position
            )
            let entries = try query.read(limit: 3)
            guard let last = entries.last else { break }
            levels += entries.map(\.level)
            position = .after(cursor: last.cursor)
        }
        #expect(levels == Level.allCases)
    }

    @Test func `what a task reads is what a thread reads`() async throws {
        try Journal.log(["threads=2,500"], as: identifier, count: 1_000)
        var cursors: [String] = []
        for try await entry in own { cursors.append(entry.cursor) }
        #expect(cursors.count == 1_000)
        #expect(try cursors == own.read().map(\.cursor))
        var again = 0
        for try await _ in own.newestFirst() { again += 1 }
        #expect(again == 1_000)
    }

    @Test func `a journal in a directory of its own can be read`() throws {
        try Journal.log(["levels"], as: identifier, count: 8)
        let folder = try TemporaryFolder()
        try Journal.copyFiles(with: identifier, to: folder.path)
        let copy = LogStore.journal(directory: folder.path)
        #expect(try copy.entries(matching: [.identifier(identifier)]).read() == own.read())
    }
}
