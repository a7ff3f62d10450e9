// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// From a log call to `journalctl`.
@Suite(.enabled(if: Journal.isReachable, Journal.reason))
struct JournalTests {
    let identifier = Journal.uniqueIdentifier()

    /// Runs the program with the journal as its only sink.
    @discardableResult
    private func run(
        _ tasks: [String],
        _ environment: [String: String] = [:]
    ) throws -> Program.Outcome {
        let all = [
            "WINNOW_SINKS": "journald", "WINNOW_IDENTIFIER": identifier, "WINNOW_LOG": "debug",
        ]
        let outcome = try Program.run(
            tasks + ["flush=60"],
            environment: all.merging(environment) { $1 }
        )
        #expect(outcome.status == 0)
        #expect(outcome.complaints == [])
        return outcome
    }

    @Test
    func `the eight levels are the journal's priorities`() throws {
        try run(["levels"])
        let entries = try Journal.entries(of: identifier, count: 8)
        #expect(entries.map { $0["PRIORITY"] } == ["0", "1", "2", "3", "4", "5", "6", "7"])
        #expect(entries.map { $0["MESSAGE"] }.first == "level emergency")
        #expect(try Journal.read(["-t", identifier, "-p", "err"]).count == 4)
    }

    @Test
    func `an entry says who, where and when`() throws {
        try run(["say=hello"], ["WINNOW_FACILITY": "local3"])
        let entry = try #require(Journal.entries(of: identifier, count: 1).first)
        #expect(entry["MESSAGE"] == "hello")
        #expect(entry["SYSLOG_FACILITY"] == "19")
        #expect(entry["CATEGORY"] == "program")
        #expect(entry["CODE_FILE"] == "LogProgram/main.swift")
        #expect(entry["CODE_MODULE"] == "LogProgram")
        #expect(entry["CODE_FUNC"] == "run(_:_:)")
        #expect(Int(entry["CODE_LINE"] ?? "") ?? 0 > 0)
        #expect(Int(entry["TID"] ?? "") ?? 0 > 0)
        #expect(entry["WINNOW_SEQUENCE"] == "1")
        #expect(entry["_TRANSPORT"] == "journal")
        let event = try #require(Int(entry["WINNOW_TIMESTAMP"] ?? ""))
        let receipt = try #require(Int(entry["__REALTIME_TIMESTAMP"] ?? ""))
        #expect(receipt >= event && receipt - event < 60_000_000)
    }

    @Test
    func `fields arrive under names that the journal takes`() throws {
        try run(["fields"])
        let entry = try #require(Journal.entries(of: identifier, count: 1).first)
        #expect(entry["REQUEST_ID"] == "r1")
        #expect(entry["F_9LIVES"] == "9")
        #expect(entry["F_PID"] == "1")
        #expect(entry["NA_VE"] == "true")
        #expect(entry["PRIORITY"] == "5" && entry["PRIORITY_2"] == "0")
        #expect(entry["MESSAGE"] == "odd names" && entry["MESSAGE_2"] == "no")
        #expect(entry["A"] == "1" && entry["A_2"] == "2")
        #expect(
            entry["A_NAME_THAT_IS_LONGER_THAN_THE_SIXTY_FOUR_BYTES_THAT_THE_JOURNAL"] == "3.5"
        )
    }

    @Test(arguments: [
        "\n<0>forged", "x\nPRIORITY=0", "x\nPRIORITY=0\n\nMESSAGE=forged\n", "\u{1B}[2Jcleared",
        "\u{202E}detrevni", "\u{2028}line", "nul\u{0}nul", "",
    ])
    func `a message makes one entry and forges nothing`(message: String) throws {
        // An argument of a process holds no NUL; the sink's own tests have one.
        let sent = message.replacing("\u{0}", with: "")
        try run(["say=\(sent)", "say=end"])
        let entries = try Journal.entries(of: identifier, count: 2)
        #expect(entries.count == 2)
        #expect(entries.map { $0["PRIORITY"] } == ["5", "5"])
        #expect(entries.last?["MESSAGE"] == "end")
        let stored = entries.first?["MESSAGE"] ?? ""
        #expect(!stored.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" && $0 != "\t" })
        #expect(!stored.unicodeScalars.contains("\u{202E}") && !stored.contains("\u{2028}"))
    }

    @Test
    func `a message of a mebibyte and one of 2 000 fields arrive whole`() throws {
        try run(
            ["big=1048576", "many-fields=2000"],
            ["WINNOW_SINKS": "journald?size=2M"]
        )
        let entries = try Journal.entries(of: identifier, count: 2)
        #expect(entries.first?["MESSAGE"] == String(repeating: "x", count: 1_048_576))
        #expect(entries.last?["FIELD0"] == "0")
        let rest = entries.last?["WINNOW_MORE_FIELDS"] ?? ""
        let inEntry = (0..<2_000).filter { entries.last?["FIELD\($0)"] == String($0) }.count
        #expect(inEntry + rest.split(separator: "\n").count == 2_000)
        #expect(rest.contains("1999"))
    }

    @Test
    func `a longer entry than journald stores in any case is cut`() throws {
        try run(["big=1048576"])
        let entries = try Journal.entries(of: identifier, count: 1)
        let message = entries.first?["MESSAGE"] ?? ""
        #expect(message.contains(" bytes cut] "))
        #expect((300_000..<393_216).contains(message.utf8.count))
    }

    @Test
    func `a program that may make no memory file sends another one`() throws {
        let folder = try TemporaryFolder()
        let object = "\(folder.path)/forbidden.so"
        // As systemd's SystemCallFilter=~memfd_create has it.
        try SharedObject.compile(
            """
            #include <errno.h>
            int memfd_create(const char *name, unsigned flags) {
                errno = EPERM;
                return -1;
            }
            """,
            to: object
        )
        try run(
            ["big=1048576", "say=small"],
            ["LD_PRELOAD": object, "WINNOW_SINKS": "journald?size=2M"]
        )
        let entries = try Journal.entries(of: identifier, count: 2)
        #expect(entries.first?["MESSAGE"] == String(repeating: "x", count: 1_048_576))
        #expect(entries.last?["MESSAGE"] == "small")
    }

    @Test
    func `8 threads times 10 000 records are in the journal once each, or reported lost`() throws {
        let outcome = try run(["threads=8,10000"])
        #expect(outcome.account("journald", "accepted") == 80_000)
        let delivered = try #require(outcome.account("journald", "delivered"))
        // A journald that gets no processor for longer than callers wait takes fewer of them.
        #expect(outcome.account("journald", "lost") == 80_000 - delivered)
        var sequences: [Int] = []
        var others = (before: -1, now: 0)
        // Reports of losses are entries: the last of the program's may come behind them.
        while sequences.count < delivered, others.before != others.now {
            let entries = try Journal.entries(
                of: identifier,
                count: delivered + others.now,
                fields: ["WINNOW_SEQUENCE"]
            )
            sequences = entries.compactMap { Int($0["WINNOW_SEQUENCE"] ?? "") }.filter { $0 > 0 }
            others = (others.now, entries.count - sequences.count)
        }
        #expect(sequences.count == delivered)
        // Sets of this size are not for the report of a failure.
        let isEachOnce = Set(sequences).count == delivered && sequences.max() ?? 0 <= 80_000
        #expect(isEachOnce)
    }

    @Test
    func `standard error that is the journal is left for the native protocol`() throws {
        let outcome = try Program.run(
            [
                "--identifier", "\(identifier)-stream", Program.path, "levels", "flush=60",
                "no-status",
            ],
            environment: ["WINNOW_IDENTIFIER": identifier],
            executable: "/usr/bin/systemd-cat"
        )
        #expect(outcome.status == 0)
        let entries = try Journal.entries(of: identifier, count: 6)
        #expect(entries.allSatisfy { $0["_TRANSPORT"] == "journal" })
        #expect(entries.map { $0["PRIORITY"] } == ["0", "1", "2", "3", "4", "5"])
    }

    @Test(.enabled(if: Namespace.isAllowed, "mount namespaces need root: run ./Tests/run as root"))
    func `a stream to the journal has the levels where the native socket is out of reach`() throws {
        // The stream is open before the folder with the native socket is hidden.
        let script = """
            mount --make-rprivate / && mount -t tmpfs none /run/systemd/journal || exit 9
            exec "$0" 'say=one
            <0>two' levels flush=60 no-status
            """
        let outcome = try Program.run(
            ["--identifier", identifier, "unshare", "-m", "sh", "-c", script, Program.path],
            executable: "/usr/bin/systemd-cat"
        )
        #expect(outcome.status == 0)
        let entries = try Journal.entries(of: identifier, count: 8)
        #expect(entries.allSatisfy { $0["_TRANSPORT"] == "stdout" })
        let own = entries.first
        #expect(own?["PRIORITY"] == "4")
        #expect(own?["MESSAGE"]?.contains("journald is not there") == true)
        #expect(entries.dropFirst().map { $0["PRIORITY"] } == ["5", "0", "1", "2", "3", "4", "5"])
        #expect(entries[1]["MESSAGE"] == #"notice  [program] one\n<0>two"#)
    }
}
