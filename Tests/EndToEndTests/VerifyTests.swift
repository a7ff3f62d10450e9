// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// What `winnow verify` says of the logs of real programs.
struct VerifyTests {
    static let tool = URL(fileURLWithPath: Program.path).deletingLastPathComponent()
        .appendingPathComponent("winnow").path

    private let folder: TemporaryFolder
    private var file: String { "\(folder.path)/app.log" }

    init() throws {
        folder = try TemporaryFolder()
    }

    private func verify(_ arguments: String...) throws -> Program.Outcome {
        try Program.run(["verify"] + arguments, executable: Self.tool)
    }

    /// Runs the program with a file of JSON lines as its only sink.
    private func log(_ tasks: String..., delivery: String = "immediate") throws {
        let outcome = try Program.run(
            tasks + ["flush=60"],
            environment: [
                "WINNOW_SINKS": "file:\(file)", "WINNOW_FORMAT": "json", "WINNOW_LOG": "debug",
                "WINNOW_DELIVERY": delivery, "WINNOW_OVERFLOW": "block=60s",
            ]
        )
        #expect(outcome.status == 0)
    }

    @Test(arguments: ["immediate", "deferred"])
    func `what several threads log is there to the last number`(delivery: String) throws {
        try log("threads=4,2500", "levels", delivery: delivery)
        let outcome = try verify(file, "--complete")
        #expect(outcome.status == 0, "\(outcome.stdout)")
        #expect(outcome.stderr == "")
        let notice = outcome.stdout.split(separator: "\n").first { $0.hasPrefix("  notice") }
        #expect(notice?.split(separator: " ") == ["notice", "10001", "1–10001", "0", "0"])
        let verdict = "1 run, 10008 records: nothing was lost in silence up to sequence 10008\n"
        #expect(outcome.stdout.hasSuffix(verdict))
    }

    @Test
    func `a line that was taken out is named`() throws {
        try log("threads=1,100")
        let lines = try folder.lines(of: "app.log").filter {
            !$0.contains("\"level_sequence\":57,")
        }
        .filter { !$0.contains("\"level_sequence\":57}") }
        #expect(lines.count == 99)
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: file))
        let outcome = try verify(file)
        #expect(outcome.status == 1)
        #expect(outcome.stdout.contains("  notice: missing, and in no report: 57\n"))
        #expect(outcome.stdout.hasSuffix("FAILS: 1 number is missing without a report\n"))
    }

    @Test(arguments: ["immediate", "deferred"])
    func `parent and child of a fork are two runs that begin with 1`(delivery: String) throws {
        try log("say=before", "fork=50", delivery: delivery)
        let outcome = try verify(file, "--complete")
        #expect(outcome.status == 0, "\(outcome.stdout)")
        #expect(
            outcome.stdout.hasSuffix(
                "2 runs, 101 records: nothing was lost in silence up to the last sequence of each "
                    + "run\n"
            )
        )
    }

    @Test
    func `the parts of a log are one, in any order, also on standard input`() throws {
        try log("threads=2,500")
        let lines = try folder.lines(of: "app.log")
        let old = "\(file).1"
        try Data((lines[..<400].joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: old))
        try Data((lines[400...].joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: file))
        #expect(try verify(file, old, "--complete").status == 0)
        let late = try verify(file)
        #expect(late.status == 0)
        #expect(late.stdout.contains("notice: begins at "))
        #expect(try verify(file, "--complete").status == 1)
        let piped = try Program.run(
            ["-c", "cat \"$1\" | \"$0\" verify --complete \"$2\" -", Self.tool, file, old],
            executable: "/bin/sh"
        )
        #expect(piped.status == 0, "\(piped.stderr)")
    }

    /// Writes lines of the log of one thread, some of them in the name of another.
    ///
    /// Those are told by their places among what is written.
    private func write(_ lines: ArraySlice<String>, ofOther others: Set<Int>) throws {
        let lines = Array(lines)
        let text = lines.indices.map { index in
            others.contains(index)
                ? lines[index].replacing(#/"thread":\d+/#, with: "\"thread\":1") : lines[index]
        }
        try Data((text.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: file))
    }

    @Test
    func `what was on its way at an edge of a log is told, and farther in is a loss`() throws {
        try log("threads=1,300")
        let lines = try folder.lines(of: "app.log")
        // The other thread wrote the line before the last 20, and not its next one.
        try write(lines[..<280] + lines[281...], ofOther: [279])
        let copy = try verify(file)
        #expect(copy.status == 0)
        #expect(
            copy.stdout.contains(
                "  notice: missing: 281, which may have been on the way when the log ends\n"
            )
        )
        #expect(
            copy.stdout.contains(
                "nothing was lost in silence up to sequence 300; 1 missing number is excused at an"
                    + " edge of the log: --complete excuses none\n"
            )
        )
        #expect(try verify(file, "--complete").status == 1)
        // Its line was on the way when the log began, and the others' stand before that.
        try write(lines[99..<100] + lines[103...], ofOther: [0])
        let part = try verify(file)
        #expect(part.status == 0)
        #expect(
            part.stdout.contains(
                "  notice: missing: 101–103, which may stand before the beginning of the log\n"
            )
        )
        // It went on afterwards, so that it had nothing on its way at the end.
        try write(lines[99..<105] + lines[106...], ofOther: [0, 193])
        #expect(try verify(file).status == 1)
    }

    @Test
    func `compressed files of a log are read, in any order, and from a pipe`() throws {
        let outcome = try Program.run(
            ["threads=4,2500", "flush=60"],
            environment: [
                "WINNOW_SINKS": "file:\(file)?rotate=500K&keep=100", "WINNOW_FORMAT": "json",
            ]
        )
        #expect(outcome.status == 0)
        // By its content, whatever its name.
        let compressed = "\(file).1"
        let gzip = try Program.run(
            ["-c", "gzip \"$0\" && mv \"$0.gz\" \"$0\"", compressed],
            executable: "/bin/sh"
        )
        #expect(gzip.status == 0, "\(gzip.stderr)")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasPrefix("app.log") }.map { "\(folder.path)/\($0)" }
        for order in [files, files.reversed()] {
            let whole = try Program.run(["verify", "--complete"] + order, executable: Self.tool)
            #expect(whole.status == 0, "\(whole.stdout)\(whole.stderr)")
            #expect(whole.stdout.contains("1 run, 10000 records: nothing was lost in silence"))
        }
        let script = "t=$0 f=$1; shift; cat \"$f\" | \"$t\" verify --complete - \"$@\""
        let piped = try Program.run(
            ["-c", script, Self.tool, compressed] + files.filter { $0 != compressed },
            executable: "/bin/sh"
        )
        #expect(piped.status == 0, "\(piped.stdout)\(piped.stderr)")

        let bytes = try Data(contentsOf: URL(filePath: compressed))
        try bytes.dropLast(bytes.count / 2).write(to: URL(filePath: compressed))
        let cut = try Program.run(["verify"] + files, executable: Self.tool)
        #expect(cut.status == 2)
        #expect(
            cut.stderr == "winnow: \(compressed): ends in the middle of what gzip wrote: copy it "
                + "again, or verify what gzip -dc still gets out of it\n"
        )
    }

    @Test
    func `two runs, a torn end and lines of others are told apart`() throws {
        try log("say=1")
        try log("say=2")
        // The second run died in a record, the third one went on behind it.
        let half = "{\"time\":\"2026-11-21T09:"
        try append("panic: oops\n\n\(half)")
        try log("say=3")
        try append(half)
        let outcome = try verify(file)
        #expect(outcome.status == 0)
        #expect(outcome.stdout.contains("\n\(file): 2 lines not of Winnow\n"))
        #expect(outcome.stdout.contains("\n\(file): 1 line torn: only a part of a record\n"))
        #expect(
            outcome.stdout.contains(
                "\n\(file): the last line is torn: the log ends in the middle of a record\n"
            )
        )
        #expect(outcome.stdout.contains("\n3 runs, 3 records: nothing was lost in silence "))
    }

    private func append(_ text: String) throws {
        let handle = try #require(FileHandle(forWritingAtPath: file))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(text.utf8))
        try handle.close()
    }

    @Test
    func `a file without a record beside good ones is named, and an empty one is none`() throws {
        try log("say=1")
        let other = "\(folder.path)/other"
        try Data().write(to: URL(filePath: other))
        #expect(try verify(file, other).status == 0)
        try Data("2026 text\nmore\n".utf8).write(to: URL(filePath: other))
        let outcome = try verify(other, file)
        #expect(outcome.status == 2)
        #expect(outcome.stdout == "")
        #expect(
            outcome.stderr == "winnow: \(other): holds no record with a number of its level: give "
                + "JSON lines, which Winnow writes with WINNOW_FORMAT=json\n"
        )
    }

    @Test(arguments: [
        (["vefiry", "a"], "there is no command 'vefiry'; did you mean verify?"),
        (["striped", "--expect", "a"], "there is no command 'striped'; did you mean stripped?"),
        (["x", "y"], "there is no command 'x'"),
    ])
    func `a command that is none is told, with the nearest one`(
        arguments: [String],
        words: String
    ) throws {
        let outcome = try Program.run(arguments, executable: Self.tool)
        #expect(outcome.status == 64)
        #expect(outcome.stderr.contains("Error: \(words)\n"), "\(outcome.stderr)")
    }

    @Test
    func `JSON is an object that a parser takes`() throws {
        try log("levels")
        let outcome = try verify(file, "--format", "json")
        #expect(outcome.status == 0)
        let object = try JSONSerialization.jsonObject(with: Data(outcome.stdout.utf8))
        let report = try #require(object as? [String: Any])
        #expect(report["holds"] as? Bool == true)
        #expect(report["records"] as? Int == 8)
        let runs = try #require(report["runs"] as? [[String: Any]])
        #expect((runs.first?["levels"] as? [Any])?.count == 8)
    }

    @Test
    func `what cannot be read, or is no log, is named, with what to do`() throws {
        let missing = try verify("\(file).gone")
        #expect(missing.status == 2)
        #expect(
            missing.stderr == "winnow: \(file).gone: cannot be read (No such file or directory): "
                + "give a log in JSON lines that you may read, or - for standard input\n"
        )
        #expect(try verify(folder.path).stderr.contains("cannot be read (Is a directory)"))
        try Data("2026 text\n".utf8).write(to: URL(filePath: file))
        let text = try verify(file)
        #expect(text.status == 2)
        #expect(text.stdout == "")
        #expect(
            text.stderr == "winnow: \(file): holds no record with a number of its level: give JSON "
                + "lines, which Winnow writes with WINNOW_FORMAT=json\n"
        )
    }

    @Test(arguments: [
        ([], "give the files of a log, - for standard input, or --journal"),
        (["--journal"], "--journal needs --identifier"),
        (["x", "--journal", "--identifier", "x"], "not both"),
        (["x", "--identifier", "x"], "--identifier is for --journal"),
        (
            ["--journal", "--identifier", "x", "--boot", "last"],
            "give current, all, or the 32 digits"
        ),
        (["x", "--format", "xml"], "xml"),
    ])
    func `wrong arguments are a matter of usage`(arguments: [String], words: String) throws {
        let outcome = try Program.run(["verify"] + arguments, executable: Self.tool)
        #expect(outcome.status == 64)
        #expect(outcome.stderr.contains(words), "\(outcome.stderr)")
    }
}

/// The same of the real journal.
@Suite(.enabled(if: Journal.isReachable, Journal.reason))
struct VerifyJournalTests {
    @Test(arguments: ["current", "all"])
    func `what a program logged to the journal is verified by its name`(boot: String) throws {
        let identifier = Journal.uniqueIdentifier()
        _ = try Program.run(
            ["levels", "threads=4,500", "flush=60", "no-status"],
            environment: [
                "WINNOW_SINKS": "journald", "WINNOW_IDENTIFIER": identifier, "WINNOW_LOG": "debug",
            ]
        )
        _ = try Journal.entries(of: identifier, count: 2_008)
        let outcome = try Program.run(
            ["verify", "--journal", "--identifier", identifier, "--boot", boot, "--complete"],
            executable: VerifyTests.tool
        )
        #expect(outcome.status == 0, "\(outcome.stdout)\(outcome.stderr)")
        let verdict = "1 run, 2008 records: nothing was lost in silence up to sequence 2008\n"
        #expect(outcome.stdout.hasSuffix(verdict))
    }
}
