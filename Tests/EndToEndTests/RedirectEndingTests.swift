// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// How processes end while lines are redirected: nothing is lost or doubled, and the reason of a crash
/// is where it is looked for.
struct RedirectEndingTests {
    /// How often each crash is tried: what is lost is lost now and then.
    private static let rounds =
        ProcessInfo.processInfo.environment["WINNOW_TEST_FULL", default: ""].isEmpty ? 3 : 20

    private static let starts = ["start", "start=stdout,stderr"]
    private static let modes = ["immediate", "deferred"]

    private let lines = (0..<50).map { "line \($0)" }

    /// The lines that were logged, and those that were printed after all, in order.
    private func seen(_ run: PrintRun) -> [String] {
        (run.messages + run.output).filter { $0.hasPrefix("line ") }
    }

    @Test(arguments: [("", 0), ("exit", 7), ("quick_exit", 7), ("_exit", 7), ("_Exit", 7)], starts)
    func `an exit works off what was printed`(end: (how: String, status: Int32), start: String)
        throws
    {
        for delivery in Self.modes {
            let tasks = [start, "lines=50", "partial=tail", "clock"]
            let run = try PrintRun(
                tasks + (end.how.isEmpty ? [] : ["end=\(end.how)"]),
                delivery: delivery
            )
            #expect(run.outcome.status == end.status)
            #expect(run.messages + run.output == lines + ["tail"], "\(delivery)")
            #expect(run.output.isEmpty || run.mayHaveGivenUp, "\(delivery)")
            // Unless the program got no processor for a tenth of a second before its end.
            #expect(
                ["closed", "timeout"].contains(run.records.last?.lineBreak) || !run.output.isEmpty
            )
            #expect(run.errors.isEmpty)
        }
    }

    @Test(arguments: ["quick_exit", "_exit"], modes)
    func `an exit works off what was printed where signals are left`(end: String, mode: String)
        throws
    {
        let run = try PrintRun(
            ["start", "lines=50", "end=\(end)"],
            delivery: mode,
            environment: ["WINNOW_SIGNALS": "left"]
        )
        #expect(run.messages + run.output == lines)
        #expect(run.output.isEmpty || run.mayHaveGivenUp)
    }

    @Test(arguments: starts, ["exit", "_exit", "15"])
    func `an end that comes before the worker is done leaves each line once`(
        start: String,
        end: String
    ) throws {
        let run = try PrintRun([start, "threads=4,5000", "end=\(end)"])
        let all = run.messages + run.output
        let modules = ["NoisySwift", "NoisyC", "NoisyCxx"]
        let expected = (0..<4).flatMap { thread in
            (0..<5_000).map { "\(modules[$0 % 3]) \(thread) \($0)" }
        }
        let whole = all.filter { !$0.isEmpty }
        #expect(whole.count == expected.count)
        #expect(Set(whole).symmetricDifference(expected).isEmpty)
        // C++ prints a line break apart: where its thread gets no processor for 100 ms meanwhile, the
        // line is one that waited too long, and the break the end of an empty one.
        let late = run.records.count { $0.lineBreak == "timeout" }
        #expect(all.count - whole.count <= late)
    }

    private static let crashes: [(how: String, status: Int32, words: String?)] = [
        ("abort", SIGABRT, nil), ("fault", SIGSEGV, nil), ("15", SIGTERM, nil),
        ("fatal", SIGILL, "Fatal error: the end"),
        ("trap-in-print", SIGILL, "Fatal error: the end"), ("fault-in-print", SIGSEGV, nil),
    ]

    @Test(arguments: crashes, starts)
    func `a crash loses no line, doubles none, and says why`(
        end: (how: String, status: Int32, words: String?),
        start: String
    ) throws {
        for round in 0..<Self.rounds {
            let run = try PrintRun(
                [start, "lines=50", "end=\(end.how)"],
                delivery: Self.modes[round % 2]
            )
            #expect(run.outcome.status == end.status)
            #expect(seen(run) == lines, "round \(round)")
            let reports = run.errors.filter { $0.contains("Fatal error") }
            #expect(reports.count == (end.words == nil ? 0 : 1), "round \(round)")
            #expect(reports.allSatisfy { $0.contains(end.words ?? "") })
            let traces = run.errors.filter { $0 == "Current stack trace:" }
            #expect(traces.count == (end.words == nil ? 0 : 1), "round \(round)")
            #expect(run.malformed.isEmpty)
        }
    }

    @Test(arguments: starts)
    func `a signal's handler may end the process`(start: String) throws {
        for _ in 0..<Self.rounds {
            let run = try PrintRun([start, "lines=50", "drain", "end=handler"])
            #expect(run.outcome.status == 7)
            #expect(run.messages == lines)
        }
    }

    @Test func `a stream that nobody reads does not keep the process from its end`() throws {
        let start = "start=text,pass"
        // One line: a program that prints on waits for the stream, as it would without a redirect.
        let run = try PrintRun([
            "descriptor=unread", start, "log=a record", "lines=1", "pause", "end=15",
        ])
        #expect(run.outcome.status == SIGTERM)
        #expect(run.messages.contains("a record"))
    }

    @Test(arguments: ["abort", "_exit"])
    func `what was flushed before the end is there`(end: String) throws {
        let run = try PrintRun([
            "start=text,pass", "print=a line", "flushed=Name? ", "end=\(end)",
        ])
        #expect(run.outcome.stdout == "a line\nName? ")
    }

    @Test(arguments: ["fatal", "fault-in-print"], starts)
    func `Swift's backtrace is on standard error`(end: String, start: String) throws {
        let run = try PrintRun(
            [start, "lines=50", "end=\(end)"],
            environment: ["SWIFT_BACKTRACE": "enable=yes,color=no,interactive=no"]
        )
        #expect(seen(run) == lines)
        #expect(run.outcome.stderr.contains("Thread 0"))
        #expect(run.outcome.stderr.contains("crashed"))
        #expect(run.outcome.stderr.contains("Fatal error: the end") == (end == "fatal"))
        #expect(!run.messages.contains { $0.contains("crashed") })
    }

    @Test(arguments: starts)
    func `a crash while other threads print leaves whole lines`(start: String) throws {
        for _ in 0..<Self.rounds {
            let run = try PrintRun([start, "busy=2", "lines=50", "end=fault"])
            #expect(run.outcome.status == SIGSEGV)
            #expect(seen(run) == lines)
            // When the redirect has ended, stdio writes a block where it is full, within a line too.
            let output =
                "busy".hasPrefix(run.output.last ?? "") ? run.output.dropLast() : run.output[...]
            let others = run.messages + output + run.errors
            // One that was in the middle of a line has its line break apart from it.
            let broken = others.filter { !$0.hasPrefix("line ") }
                .filter { !$0.replacingOccurrences(of: "busy", with: "").isEmpty }
            #expect(broken == [], "the end of stdout: \(run.output.suffix(2))")
        }
    }
}
