// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// What `winnow stripped` says of programs; Tests/Shell/stripped.sh has those of release builds.
struct StrippedTests {
    private static let tool = URL(fileURLWithPath: Program.path).deletingLastPathComponent()
        .appendingPathComponent("winnow").path

    private func stripped(_ arguments: String...) throws -> Program.Outcome {
        try Program.run(["stripped"] + arguments, executable: Self.tool)
    }

    @Test
    func `of a debug build it lists the functions, and says why no more`() throws {
        let outcome = try stripped(Program.path)
        #expect(outcome.status == 0)
        #expect(outcome.stderr == "")
        let lines = outcome.stdout.split(separator: "\n").map(String.init)
        #expect(lines.contains { $0.hasPrefix("unknown  in LogProgram.logFields") })
        #expect(lines.contains { $0.hasPrefix("unknown  in LogProgram.logFromThreads") })
        let sum = #/\d+ statements, built without optimization: level, place and texts are unknown/#
        #expect(lines.last?.wholeMatch(of: sum) != nil, "\(lines.last ?? "")")
    }

    @Test(arguments: [
        ("notice", 2, "CANNOT TELL: "), ("none", 1, "FAILS: "), ("debug", 0, "holds"),
    ])
    func `a debug build proves nothing but what holds for every level`(
        level: String,
        status: Int32,
        verdict: String
    ) throws {
        let outcome = try stripped(Program.path, "--expect", level)
        #expect(outcome.status == status)
        let last = try #require(outcome.stdout.split(separator: "\n").last)
        #expect(last.contains(verdict), "\(last)")
        #expect(last.contains("check a release build") == (status == 2), "\(last)")
    }

    @Test
    func `the tool itself holds Winnow and no statement`() throws {
        let outcome = try stripped(Self.tool, "--expect", "none")
        #expect(outcome.status == 0)
        #expect(
            outcome.stdout
                == "\(Self.tool) holds no log statement\nexpected no statement: holds\n"
        )
    }

    @Test
    func `JSON is an object that a parser takes`() throws {
        let outcome = try stripped(Program.path, "--expect", "notice", "--format", "json")
        #expect(outcome.status == 2)
        let object = try JSONSerialization.jsonObject(with: Data(outcome.stdout.utf8))
        let report = try #require(object as? [String: Any])
        #expect(report["program"] as? String == Program.path)
        let statements = try #require(report["statements"] as? [[String: Any]])
        #expect(statements.contains { $0["function"] as? String == "LogProgram.logFields" })
        #expect(statements.allSatisfy { $0["level"] is NSNull })
        let expected = try #require(report["expected"] as? [String: Any])
        #expect(expected["holds"] is NSNull)
    }

    @Test
    func `what is no program with Winnow is named, with what to do`() throws {
        let shell = try stripped("/bin/sh")
        #expect(shell.status == 2)
        #expect(shell.stdout == "")
        #expect(
            shell.stderr
                == "winnow: /bin/sh: has no table of log statements, nor the note of a program with "
                + "Winnow: give a program that is linked with Winnow\n"
        )
        let folder = try stripped("/usr")
        #expect(folder.status == 2)
        #expect(folder.stderr.hasPrefix("winnow: /usr: cannot be read (Is a directory): give "))
    }

    @Test(arguments: [
        (["stripped"], "Missing expected argument '<program>'"),
        (["stripped", "x", "--expect", "noitce"], "did you mean notice?"),
        (["stripped", "x", "--format", "xml"], "xml"),
        (["stripped", "x", "--format", "\u{1b}[2J"], "\\u{1b}[2J"),
        (["\u{1b}[2J"], "there is no command '\\u{1b}[2J'"),
    ])
    func `wrong arguments are a matter of usage`(arguments: [String], words: String) throws {
        let outcome = try Program.run(arguments, executable: Self.tool)
        #expect(outcome.status == 64)
        #expect(outcome.stderr.contains(words), "\(outcome.stderr)")
    }

    @Test
    func `the help has an example and the exit statuses`() throws {
        let outcome = try stripped("--help")
        #expect(outcome.status == 0)
        #expect(outcome.stdout.contains("$ winnow stripped .build/release/App --expect notice"))
        #expect(outcome.stdout.contains("EXIT STATUS:"))
    }
}
