// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// What prints where it may not come back to itself, and what stalls.
struct RedirectFaultTests {
    private static let modes = ["immediate", "deferred"]
    private static let starts = ["start", "start=stdout,stderr"]

    @Test(arguments: ["start", "start=stdout,stderr"])
    func `handlers of a fork may print`(start: String) throws {
        let run = try PrintRun(["fork-handlers", start, "fork=of the child", "account"])
        #expect(run.outcome.status == 0)
        #expect(run.account.contains("child 0"))
        let all = run.messages + run.output
        for line in ["before", "in the parent", "in the child", "of the child"] {
            #expect(all.contains { $0.hasSuffix(line) }, "\(line)")
        }
    }

    @Test(arguments: modes, starts)
    func `what a sink prints is printed`(delivery: String, start: String) throws {
        let run = try PrintRun(
            ["sink=printing", start, "lines=20", "log=said", "lines=20", "drain", "account"],
            delivery: delivery
        )
        #expect(run.outcome.status == 0)
        let expected = (0..<20).map { "line \($0)" }
        let lines = run.messages.filter { $0.hasPrefix("line ") }
        #expect(lines == expected + expected)
        #expect(run.records.count == 41)
        for text in ["sink prints", "sink puts", "sink writes"] {
            #expect(run.printed(text, to: \.stdout) == 41, "\(text)")
        }
        for text in ["sink complains", "sink handles", "sink speaks"] {
            #expect(run.printed(text, to: \.stderr) == 41, "\(text)")
        }
        run.expectSound()
    }

    /// What it prints is the log, whose records count as delivered.
    @Test(arguments: modes, ["start=drop", "start=stdout,stderr,drop"])
    func `no rule drops what a sink prints, and no scope captures it`(
        delivery: String,
        start: String
    ) throws {
        let run = try PrintRun(
            ["sink=printing", start, "lines=20", "log=one", "scope-log=two", "drain", "account"],
            delivery: delivery
        )
        #expect(run.outcome.status == 0)
        #expect(run.messages == ["one", "two"])
        for text in ["sink prints", "sink puts", "sink writes"] {
            #expect(run.printed(text, to: \.stdout) == 2, "\(text)")
        }
        for text in ["sink complains", "sink handles", "sink speaks"] {
            #expect(run.printed(text, to: \.stderr) == 2, "\(text)")
        }
        #expect(!run.account.contains { $0.hasPrefix("scope ") })
        #expect(!run.output.contains { $0.hasPrefix("line ") })
    }

    @Test(arguments: modes)
    func `what a formatter prints is printed`(delivery: String) throws {
        let run = try PrintRun(
            ["sink=formatter", "start", "lines=20", "log=said", "account"],
            delivery: delivery
        )
        #expect(run.records.count == 21)
        #expect(run.output == Array(repeating: "formatter prints", count: 21))
    }

    @Test(arguments: modes, ["start=printing", "start=stdout,stderr,printing"])
    func `what a rule prints and logs does not come back to it`(
        delivery: String,
        start: String
    ) throws {
        let run = try PrintRun([start, "lines=10", "account"], delivery: delivery)
        #expect(run.messages.filter { $0.hasPrefix("line ") }.count == 5)
        #expect(run.messages.filter { $0.hasPrefix("rule logs ") }.count == 10)
        #expect(run.output == (0..<10).map { "rule prints \($0)" })
        #expect(run.errors == (0..<10).map { "rule complains \($0)" })
        #expect(run.count("dropped") == 5)
        run.expectSound()
    }

    @Test(arguments: modes)
    func `a lock that is held while lines are printed may be a sink's`(delivery: String) throws {
        let run = try PrintRun(
            ["sink=locked", "start", "threads=4,500", "account"],
            delivery: delivery,
            environment: ["WINNOW_OVERFLOW": "block=10s"]
        )
        #expect(run.records.count == 2_000)
        #expect(run.output.isEmpty)
        run.expectSound()
    }

    @Test(arguments: modes)
    func `a full queue drops, counts and says so, where a rule blocks`(delivery: String) throws {
        let run = try PrintRun(
            ["start=stalled", "fill=3000", "release", "account"],
            delivery: delivery,
            environment: ["WINNOW_OVERFLOW": "block=10s"]
        )
        try expectCountedLosses(run)
        #expect(run.count("dropped") == 1)
    }

    @Test func `a full queue drops, counts and says so, where a sink blocks`() throws {
        let run = try PrintRun(["sink=stalled", "start", "fill=3000", "release", "account"])
        try expectCountedLosses(run)
    }

    private func expectCountedLosses(_ run: PrintRun) throws {
        run.expectSound()
        let lost = try #require(run.count("lost"))
        #expect(lost > 0 && lost < 3_000)
        let printed = run.messages.filter { $0.hasSuffix("xxx") }.compactMap {
            Int($0.prefix { $0 != " " })
        }
        // What was there first is kept.
        #expect(printed == Array(0..<(3_000 - lost)))
        let told = run.messages.filter { $0.contains("printed lines were lost") }
        let counts = told.compactMap { Int($0.prefix { $0 != " " }) }
        #expect(counts.reduce(0, +) == lost, "\(told)")
        #expect(run.output.isEmpty)
    }

    @Test func `a redirect that runs is not started again`() throws {
        let run = try PrintRun([
            "start", "start=drop", "print=after", "drain", "stop", "start", "stop",
        ])
        #expect(
            run.account.filter { $0 != "slow stop" } == [
                "started", "error a redirect runs already; stop it first", "started",
            ]
        )
        #expect(run.messages == ["after"])
    }

    @Test(arguments: starts)
    func `what was printed before the stop is taken, and nothing after`(start: String) throws {
        let run = try PrintRun([
            start, "print=within", "stop", "print=after", "route=system", "account",
        ])
        #expect(run.messages == ["within"] || run.messages.isEmpty && run.mayHaveGivenUp)
        #expect((run.messages + run.output).sorted() == ["<system>", "after", "within"])
        #expect(run.account.contains("running false"))
        #expect(run.account.contains("streams []"))
    }

    @Test(arguments: ["start", "start=stdout,stderr", "start=drop"])
    func `a scope has its lines before any rule, and only those`(start: String) throws {
        let run = try PrintRun([
            "scope=before", start, "print=logged", "scope=beside", "print=logged too", "account",
            "stop",
            "scope=after", "print=last",
        ])
        let own = ["before", "beside", "after"].flatMap {
            [
                "scope NoisySwift stdout \($0)", "scope NoisyC stderr \($0)",
                "scope PrintProgram stdout unended",
            ]
        }
        #expect(run.account.filter { $0.hasPrefix("scope ") } == own)
        let logged = ["logged", "of a thread", "logged too"]
        #expect(run.messages == (start == "start=drop" ? [] : logged))
        #expect(run.output == ["of a thread", "of a thread", "last"])
        #expect(run.errors.isEmpty)
        run.expectSound()
    }

    @Test func `a handler of a signal may print`() throws {
        let run = try PrintRun(["start", "in-handler=500", "account"])
        #expect(run.outcome.status == 0)
        let handled =
            run.messages.filter { $0 == "handler" } + run.errors.filter { $0 == "handler" }
        // Signals that meet are one.
        #expect(!handled.isEmpty && handled.count <= 500)
        #expect(run.messages.filter { $0 != "handler" } == (0..<500).map { "line \($0)" })
        #expect(run.errors.allSatisfy { $0 == "handler" })
        run.expectSound()
    }
}
