// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// A log on standard output, as containers and pipelines read it.
struct StandardOutputTests {
    private static let modes = ["immediate", "deferred"]

    /// Runs a script of which `$0` is the program.
    private func run(
        _ script: String,
        _ sinks: String = "stdout",
        mode: String = "immediate"
    ) throws -> Program.Outcome {
        try Program.run(
            ["-c", script, Program.path],
            environment: [
                "WINNOW_SINKS": sinks, "WINNOW_DELIVERY": mode, "WINNOW_OVERFLOW": "block=60s",
            ],
            executable: "/bin/sh"
        )
    }

    @Test(arguments: modes)
    func `records go to standard output, with the options of the sink`(mode: String) throws {
        let outcome = try run("exec \"$0\" levels flush=60", "stdout@error?format=json", mode: mode)
        let lines = outcome.stdout.split(separator: "\n").filter { $0.hasPrefix("{") }
        #expect(lines.count == 4)
        #expect(lines.last?.contains("\"message\":\"level error\"") == true)
        #expect(outcome.account("stdout", "accepted") == 4)
        #expect(outcome.account("stdout", "delivered") == 4)
        #expect(outcome.stderr == "")
    }

    @Test
    func `what is wrong with a variable is told in the log, and in that of each stream`() throws {
        let outcome = try run(
            "WINNOW_FORMAT=jsom exec \"$0\" levels no-status",
            "stdout,stderr@error"
        )
        let end = "unknown format 'jsom' at character 1; did you mean 'json'?"
        #expect(outcome.stdout.split(separator: "\n").filter { $0.hasSuffix(end) }.count == 1)
        #expect(outcome.log.filter { $0.hasSuffix(end) }.count == 1)
        #expect(outcome.stdout.split(separator: "\n").count == 1 + 6)
        #expect(outcome.log.count == 1 + 4)
    }

    @Test
    func `two streams to one place get each record twice, which is told`() throws {
        let outcome = try run("exec \"$0\" say=twice no-status 2>&1", "stderr,stdout")
        let lines = outcome.stdout.split(separator: "\n")
        let told = "WINNOW_SINKS: 'stdout': it leads where 'stderr' does, which gets records twice"
        #expect(lines.filter { $0.hasSuffix("[program] twice") }.count == 2)
        // Each sink is told.
        #expect(lines.filter { $0.hasSuffix("[winnow] \(told)") }.count == 2)
        #expect(lines.count == 4)
    }

    /// The runtime gives an epoll or an eventfd the number of what is closed.
    @Test(arguments: modes, [">&-", "<&- >&-"])
    func `a program without standard output says on standard error what it lost`(
        mode: String,
        closed: String
    ) throws {
        let outcome = try run("exec \"$0\" levels no-status \(closed)", mode: mode)
        #expect(outcome.status == 0)
        // On a slow machine, what is told of a sink that stands still may come behind it.
        let end = outcome.log.first { $0.hasPrefix("winnow: stdout: lost 6 records") }
        #expect(end?.hasSuffix("; unavailable: Bad file descriptor") == true)
    }

    @Test(arguments: modes)
    func `a reader that goes away does not end the program, which says what it lost`(
        mode: String
    ) throws {
        let program = "env --default-signal=PIPE \"$0\" threads=2,10000 no-status"
        let outcome = try run("{ \(program); echo $? >&2; } | head -n 1", mode: mode)
        #expect(outcome.stdout.split(separator: "\n").count == 1)
        #expect(outcome.log.last == "0")
        #expect(outcome.log.contains { $0.hasPrefix("winnow: stdout: lost ") }, "\(outcome.log)")
    }

    @Test(arguments: modes)
    func `a pipeline verifies that nothing was lost`(mode: String) throws {
        let outcome = try run(
            "\"$0\" threads=4,2500 flush=60 no-status | '\(VerifyTests.tool)' verify --complete -",
            "stdout?format=json",
            mode: mode
        )
        #expect(outcome.status == 0, "\(outcome.stdout)")
        #expect(outcome.stdout.contains("nothing was lost in silence up to sequence 10000\n"))
    }

    @Test(arguments: ["mixed", "stdout,mixed", "stdout,stderr,mixed"], modes)
    func `a redirect captures no record, and what it logs goes where standard output led`(
        words: String,
        mode: String
    ) throws {
        let run = try PrintRun(
            [
                "start=\(words)", "print=logged", "print=PASS", "print=DROP", "drain", "log=own",
                "scope-log=within", "account", "stop", "log=last",
            ],
            delivery: mode,
            environment: ["WINNOW_SINKS": "stdout"]
        )
        let records = run.output.compactMap { PrintedRecord(Substring($0)) }
        #expect(records.map(\.message) == ["logged", "own", "within", "last"])
        #expect(records.map(\.stream) == ["stdout", nil, nil, nil])
        #expect(run.output.filter { PrintedRecord(Substring($0)) == nil } == ["PASS"])
        #expect(!run.account.contains { $0.hasPrefix("scope ") })
        #expect(run.count("taken") == 3)
        run.expectSound()
    }
}
