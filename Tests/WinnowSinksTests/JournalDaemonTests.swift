// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import WinnowCore
import WinnowSinks
import WinnowTesting

/// Whether the test runs where there is a journald to write to.
private let hasJournal = unsafe getenv("WINNOW_TEST_JOURNAL") != nil

extension JournalSink {
    /// Writes a record of that message, again as long as journald takes nothing, as a route does: other
    /// tests have it work as well.
    fileprivate func write(
        _ message: String,
        level: Level = .notice,
        fields: Fields = [:]
    ) throws(SinkError) {
        try withRecord(LogMessage(verbatim: message), level: level, fields: fields) {
            record throws(SinkError) in
            try writeUntilTaken(record)
        }
    }

    fileprivate func writeUntilTaken(_ record: borrowing Record) throws(SinkError) {
        while true {
            do throws(SinkError) {
                return try write(record)
            } catch {
                guard error.code == .busy else { throw error }
                usleep(10_000)
            }
        }
    }
}

/// The sink before the real journald, read back with journalctl.
@Suite(
    .timeLimit(.minutes(30)),
    .enabled(if: hasJournal, "no journald reachable: run ./Tests/run")
)
struct JournalDaemonTests {
    /// What `journalctl -t` finds only this test by.
    private let identifier = "winnow-\(getpid())-\(UInt64.random(in: 0...(.max)))"

    private func makeSink() -> JournalSink {
        JournalSink(identifier: identifier, facility: .local3)
    }

    /// Returns the entries of this test once there are so many.
    private func entries(_ count: Int) -> [JournalEntry] {
        while true {
            let arguments = ["journalctl", "-q", "-a", "-o", "export", "-t", identifier]
            let entries = JournalEntry.all(in: Command.run(["/usr/bin/env"] + arguments).output)
            if entries.count >= count { return entries }
            usleep(10_000)
        }
    }

    @Test func `every level is its priority`() throws {
        let sink = makeSink()
        for level in Level.allCases.reversed() { try sink.write("m", level: level) }
        let entries = entries(8)
        #expect(entries.map { $0["PRIORITY"] } == ["7", "6", "5", "4", "3", "2", "1", "0"])
        #expect(entries.map { $0["SYSLOG_FACILITY"] } == Array(repeating: "19", count: 8))
        #expect(entries.allSatisfy { $0["_TRANSPORT"] == "journal" })
    }

    @Test func `everything about a record arrives`() throws {
        let sink = makeSink()
        withRecord("m", category: "net.http", timestamp: 7_000, sequence: 5) { record in
            try? sink.writeUntilTaken(record)
        }
        let entry = try #require(entries(1).first)
        #expect(entry["MESSAGE"] == "m")
        #expect(entry["CATEGORY"] == "net.http")
        #expect(entry["TID"] == "12")
        #expect(entry["CODE_FILE"] == "TestModule/Test.swift")
        #expect(entry["CODE_LINE"] == "42")
        #expect(entry["CODE_FUNC"] == "test()")
        #expect(entry["CODE_MODULE"] == "TestModule")
        #expect(entry["WINNOW_SEQUENCE"] == "5")
        #expect(entry["WINNOW_TIMESTAMP"] == "7")
        #expect(entry["_PID"] == "\(getpid())")
    }

    @Test func `no name is lost`() throws {
        let long = String(repeating: "n", count: 80)
        try makeSink().write(
            "m",
            fields: [
                "request.id": 1, "9lives": 2, "_pid": 3, "größe": 4, "priority": 5, "x": 6, "X": 7,
                "errno": 8, .init(long): 9,
            ]
        )
        let entry = try #require(entries(1).first)
        #expect(entry["REQUEST_ID"] == "1")
        #expect(entry["F_9LIVES"] == "2")
        #expect(entry["F_PID"] == "3")
        #expect(entry["GR__E"] == "4")
        #expect(entry["PRIORITY_2"] == "5")
        #expect(entry["X"] == "6")
        #expect(entry["X_2"] == "7")
        #expect(entry["ERRNO"] == "8")
        #expect(entry[String(repeating: "N", count: 64)] == "9")
        #expect(entry["PRIORITY"] == "5")
    }

    @Test(arguments: [
        ("x\nPRIORITY=0\n\nMESSAGE=forged", "x\nPRIORITY=0\n\nMESSAGE=forged"),
        ("", ""), ("nul \u{0}.", "nul \\u{0}."), ("\u{1B}[31m", "\\u{1b}[31m"),
        ("trailing  ", "trailing  "), ("größe", "größe"), ("\n<0>forged", "\n<0>forged"),
    ])
    func `a message arrives as one entry`(message: String, expected: String) throws {
        let sink = makeSink()
        try sink.write(message)
        try sink.write("end")
        let entries = entries(2)
        #expect(entries.map { $0["MESSAGE"] } == [expected, "end"])
        #expect(entries.map { $0["PRIORITY"] } == ["5", "5"])
    }

    @Test func `a message of one mebibyte arrives`() throws {
        let message = String(repeating: "0123456789abcdef", count: 1 << 16)
        try makeSink().write(message)
        #expect(entries(1).first?["MESSAGE"] == message)
    }

    @Test func `a record of 2000 fields arrives with all of them`() throws {
        let fields = Fields((0..<2_000).map { Field("f\($0)", .integer($0)) })
        try makeSink().write("m", fields: fields)
        let entry = try #require(entries(1).first)
        #expect(entry["F0"] == "0")
        #expect(entry["F999"] == "999")
        let more = (entry["WINNOW_MORE_FIELDS"] ?? "").split(separator: "\n")
        #expect(more.count == 1_000)
        #expect(more.first == "F1000=1000")
        #expect(more.last == "F1999=1999")
    }
}
