// SPDX-License-Identifier: Apache-2.0

import Testing

/// Lines that say nothing, and lines that say what another has said.
struct RedirectRepeatTests {
    private static let starts = ["start", "start=stdout,stderr"]

    @Test(arguments: starts)
    func `a blank line makes no record, and is counted`(start: String) throws {
        let blanks = ["print=", "print= \t ", "print=\u{1B}[0m", "raw=0d0a"]
        let run = try PrintRun([start, "print=first"] + blanks + ["print=last", "account"])
        #expect(run.messages == ["first", "last"])
        #expect(run.count("blank") == blanks.count)
        run.expectSound()
    }

    @Test func `blank lines that pass or are dropped are lines like others`() throws {
        let passed = try PrintRun(["start=pass,text", "print=", "print=x", "account"])
        #expect(passed.outcome.stdout == "\nx\n")
        #expect(passed.count("blank") == 0)
        passed.expectSound()
        let dropped = try PrintRun(["start=drop", "print=", "account"])
        #expect(dropped.outcome.stdout == "")
        #expect(dropped.count("blank") == 0)
    }

    @Test func `a piece of a long line is no blank one, nor equal to another`() throws {
        let folder = try TemporaryFolder()
        try SharedObject.compile(
            """
            #include <stdio.h>
            void noise(void) { printf("%*s\\n", 3 * 65536 + 1, "x"); }
            """,
            to: "\(folder.path)/liblong.so"
        )
        let run = try PrintRun(["start=collapse", "load=\(folder.path)/liblong.so", "account"])
        #expect(run.records.count == 3 * 4)
        #expect(run.messages.joined().utf8.count == 3 * (3 * 65_536 + 1))
        #expect(run.records.allSatisfy { $0.repeated == nil })
        run.expectSound()
    }

    @Test func `equal lines are one record, and one with their number at the end`() throws {
        let lines = ["print=a", "print=b", "print=[ERROR] a"]
        let tasks = ["start=collapse"] + (0..<100).flatMap { _ in lines } + ["account", "stop"]
        let run = try PrintRun(tasks)
        #expect(run.messages == ["a", "b", "a", "a", "b", "a"])
        #expect(run.records.map(\.repeated) == [nil, nil, nil, 99, 99, 99])
        #expect(run.count("collapsed") == 297)
        run.expectSound()
    }

    @Test func `each time that is over is told, and a text that was not seen in it begins anew`()
        throws
    {
        let run = try PrintRun(
            [
                "start=brief", "print=a", "print=a", "print=a", "logged=\"repeated\":", "print=b",
                "drain", "pause", "pause", "pause", "pause", "print=b", "account",
            ]
        )
        let ofA = run.records.filter { $0.message == "a" }
        #expect(ofA.map { $0.repeated ?? 1 }.reduce(0, +) == 3)
        #expect(run.records.filter { $0.message == "b" }.map(\.repeated) == [nil, nil])
        run.expectSound()
    }

    @Test(arguments: ["", "exit", "quick_exit", "_exit", "15", "abort", "fault"])
    func `what was collapsed is told at the end of the process`(end: String) throws {
        let run = try PrintRun(
            ["start=collapse", "print=a", "print=a", "print=a", "drain", "end=\(end)"]
        )
        #expect(run.messages == ["a", "a"])
        #expect(run.records.map(\.repeated) == [nil, 2])
    }

    @Test(arguments: ["exit", "15"])
    func `what a worker that is stuck cannot tell at the end is reported by its number`(end: String)
        throws
    {
        let run = try PrintRun(
            [
                "start=collapse,stalled", "print=a", "print=a", "print=a", "drain", "fill=0",
                "end=\(end)",
            ]
        )
        let text = "2 printed lines were collapsed, and which lines they equal was not told"
        #expect(run.records.filter { $0.category == "winnow" && $0.repeated == 2 }.count == 1)
        #expect(run.messages.contains(text))
        #expect(run.messages.filter { $0 == "a" }.count == 1)
    }

    @Test func `more texts than are kept are told early, and none is lost`() throws {
        let lines = (0..<2).flatMap { _ in (0..<600).flatMap { ["print=\($0)", "print=\($0)"] } }
        let run = try PrintRun(["start=collapse"] + lines + ["account", "stop"])
        let told = Dictionary(grouping: run.records, by: \.message)
            .mapValues { $0.map { $0.repeated ?? 1 }.reduce(0, +) }
        #expect(told.count == 600)
        #expect(told.allSatisfy { $0.value == 4 })
        run.expectSound()
    }

    @Test func `a warning of GLib, which begins with a blank line, is one record`() throws {
        let warning = "\n(app:12): Gtk-WARNING **: 12:34:56.789: no theme\n"
        let hex = warning.utf8.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        let run = try PrintRun(["start=collapse", "raw=\(hex.joined())", "account"])
        #expect(run.messages == ["(app:12): Gtk-WARNING **: 12:34:56.789: no theme"])
        #expect(run.count("blank") == 1)
    }

    @Test func `equal lines of many threads add up, also where the redirect starts anew`() throws {
        let rounds = (0..<5).flatMap { _ in ["start=collapse", "pause", "stop"] }
        let run = try PrintRun(["busy=8"] + rounds + ["account"])
        let told = run.records.map { $0.repeated ?? 1 }.reduce(0, +)
        #expect(run.records.count < told)
        #expect(told == (run.count("logged") ?? 0) + (run.count("collapsed") ?? 0))
        run.expectSound()
    }
}
