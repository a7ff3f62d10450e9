// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Lines that are printed after all, and who reads them.
struct RedirectReaderTests {
    private static let modes = ["immediate", "deferred"]

    @Test func `lines that nobody reads are counted at the end, and told`() throws {
        // In one call: between two, the redirect's thread may begin to print, and keep the program from the second.
        let lines = (0..<50).map { "line \($0)\n" }.joined()
        let bytes = lines.utf8.map { String(format: "%02x", $0) }.joined()
        let run = try PrintRun([
            "descriptor=unread", "start=text,pass", "raw=\(bytes)", "pause", "end=15",
        ])
        #expect(run.outcome.status == SIGTERM)
        let told = run.messages.filter { $0.contains("the stream did not take them") }
        let counts = told.compactMap { Int($0.prefix { $0 != " " }) }
        #expect(counts.reduce(0, +) == 50, "\(told)")
    }

    /// Runs the program in a pipe, of which another shell prints what comes, some seconds after all is there.
    ///
    /// - Parameters:
    ///   - tasks: What the program does before it exits.
    ///   - behind: What its shell does meanwhile, once the program is about to exit.
    /// - Returns: What is left.
    /// - Throws: What keeps the program from starting.
    private func runBeforeLateReader(
        _ tasks: String,
        behind: String = "true"
    ) throws -> Program.Outcome {
        // On a busy machine the redirect's thread may fill the pipe while the program still prints, which then
        // waits for the reader, as it would without a redirect. Such a run says nothing of the exit.
        while true {
            let outcome = try runOnceBeforeLateReader(tasks, behind: behind)
            if outcome.log.last != "full too early" { return outcome }
        }
    }

    private func runOnceBeforeLateReader(
        _ tasks: String,
        behind: String
    ) throws -> Program.Outcome {
        let folder = try TemporaryFolder()
        let file = "\(folder.path)/printed"
        let program = "'\(PrintRun.path)' \(tasks) touch='\(file)'"
        let wait = "n=0; until [ -e '\(file)' ] || [ $n = 600 ]; do sleep 0.05; n=$((n + 1)); done"
        let giveUp = "{ kill -KILL $!; wait $!; echo full too early; exit; } >&2 2>/dev/null"
        let writer =
            "\(program) & \(wait); [ -e '\(file)' ] || \(giveUp); sleep 0.3; \(behind); wait $!"
        return try Program.run(
            ["-c", "{ \(writer); } | { \(wait); sleep 3; cat; }"],
            environment: ["WINNOW_SINKS": "stderr", "SWIFT_BACKTRACE": "enable=no"],
            executable: "/bin/sh"
        )
    }

    @Test(arguments: ["text,pass", "stdout,text,pass"])
    func `at an exit lines wait for who reads them late, as they do without a redirect`(
        start: String
    ) throws {
        let outcome = try runBeforeLateReader("start=\(start) lines=20000 partial=end")
        let lines = outcome.stdout.split(separator: "\n").map(String.init)
        #expect(lines == (0..<20_000).map { "line \($0)" } + ["end"])
        #expect(outcome.log == [])
    }

    @Test func `a signal ends an exit that waits for who reads the lines`() throws {
        let outcome = try runBeforeLateReader(
            "start=text,pass lines=20000",
            behind: "kill -TERM $!; wait $!; echo ended by $? >&2"
        )
        #expect(outcome.log.filter { $0.contains("the stream did not take them") }.count == 1)
        #expect(outcome.log.last == "ended by 143")
    }

    @Test(arguments: modes, ["start=mixed", "start=stdout,mixed"])
    func `a reader that is gone ends the process as without a redirect, and no record is lost`(
        delivery: String,
        start: String
    ) throws {
        let run = try PrintRun(
            ["descriptor=broken", start, "lines=50", "print=PASS", "end=never"],
            delivery: delivery
        )
        #expect(run.outcome.status == SIGPIPE)
        #expect(run.messages.filter { $0.hasPrefix("line ") } == (0..<50).map { "line \($0)" })
        #expect(run.malformed.isEmpty)
    }

    @Test func `what a child has printed does not end the process where nobody reads it`() throws {
        let run = try PrintRun([
            "descriptor=broken", "start=stdout,pass", "route=system", "account",
        ])
        #expect(run.outcome.status == 0)
        #expect(run.count("lost") == 1)
        run.expectSound()
    }

    @Test func `where the program ignores SIGPIPE it goes on, and the lines are lost and told`()
        throws
    {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/libignore.so"
        try SharedObject.compile(
            """
            #include <signal.h>
            void noise(void) { signal(SIGPIPE, SIG_IGN); }
            """,
            to: path
        )
        let run = try PrintRun([
            "load=\(path)", "descriptor=broken", "start=mixed", "print=PASS", "drain",
            "print=logged", "account",
        ])
        #expect(run.outcome.status == 0)
        #expect(run.messages.filter { !$0.contains("were lost") } == ["logged"])
        #expect(run.count("lost") == 1)
        run.expectSound()
    }

    @Test(arguments: ["start=mixed", "start=stdout,mixed"])
    func `where no thread lets SIGPIPE come the process goes on as without a redirect`(
        start: String
    ) throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/libblock.so"
        try SharedObject.compile(
            """
            #include <signal.h>
            #include <stddef.h>
            void noise(void) {
                sigset_t broken;
                sigemptyset(&broken);
                sigaddset(&broken, SIGPIPE);
                pthread_sigmask(SIG_BLOCK, &broken, NULL);
            }
            """,
            to: path
        )
        let run = try PrintRun([
            "load=\(path)", "descriptor=broken", start, "print=PASS", "drain", "pause",
            "print=logged", "account",
        ])
        #expect(run.outcome.status == 0)
        #expect(run.messages.filter { !$0.contains("were lost") } == ["logged"])
        #expect(run.count("lost") == 1)
        run.expectSound()
    }

    /// Runs the other program, whose code does not write into stdio's buffers itself, so that what
    /// passes goes by stdio; the body is what it prints, of C, by a function of an object of its
    /// own.
    private func runByStdio(
        _ body: String,
        _ rules: String,
        sinks: String? = nil
    ) throws -> Program.Outcome {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/libprints.so"
        try SharedObject.compile(
            """
            #define _GNU_SOURCE
            #include <fcntl.h>
            #include <stdio.h>
            #include <unistd.h>
            unsigned sleep(unsigned seconds) {
                \(body)
                return 0;
            }
            """,
            to: path,
            ["-fno-builtin", "-Wno-everything"]
        )
        return try Program.run(
            ["say=begin", "sleep=1", "no-status"],
            environment: [
                "LD_PRELOAD": path, "WINNOW_REDIRECT": rules,
                "WINNOW_SINKS": sinks ?? "file:\(folder.path)/log", "SWIFT_BACKTRACE": "enable=no",
            ]
        )
    }

    @Test func `what passes by stdio, by write and on standard error stays in order`() throws {
        let outcome = try runByStdio(
            """
            dup2(1, 2);
            for (int number = 0; number < 300; number += 3) {
                char line[30];
                printf("%d\\n", number);
                fflush(stdout);
                write(1, line, snprintf(line, sizeof line, "%d\\n", number + 1));
                fprintf(stderr, "%d\\n", number + 2);
            }
            """,
            "\"what no line holds\"=drop,*=pass"
        )
        #expect(outcome.status == 0)
        let lines = outcome.stdout.split(separator: "\n").map(String.init)
        let expected = (0..<300).map { "\($0)" }
        #expect(lines == expected)
    }

    @Test func `what passes by stdio ends the process where nobody reads it`() throws {
        let outcome = try runByStdio(
            """
            int ends[2];
            pipe(ends);
            close(ends[0]);
            dup2(ends[1], 1);
            puts("a line");
            alarm(600);
            for (;;) pause();
            """,
            "\"what no line holds\"=drop,*=pass"
        )
        #expect(outcome.status == SIGPIPE)
    }

    /// Stdio takes a line, and forgets it where it cannot write it later.
    @Test(arguments: [
        "dup2(open(\"/dev/full\", O_WRONLY), 1);", "close(1);",
    ])
    func `what passes by stdio and is not written is lost, and told`(makeFail: String) throws {
        let outcome = try runByStdio(
            """
            \(makeFail)
            for (int number = 0; number < 3; number++) printf("%d\\n", number);
            usleep(20000);
            for (int number = 0; number < 4; number++) printf("%d\\n", number);
            """,
            "\"what no line holds\"=drop,*=pass",
            sinks: "stderr"
        )
        #expect(outcome.status == 0)
        let told = outcome.stderr.split(separator: "\n")
            .filter { $0.contains("the stream did not take them") }
        let counts = told.flatMap { line in
            line.split(separator: " ").filter { $0.hasPrefix("lost=") }
                .compactMap { Int($0.dropFirst("lost=".count)) }
        }
        #expect(counts.reduce(0, +) == 7, "\(outcome.stderr)")
    }
}
