// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// What each variable does to a program that configures nothing, seen from outside.
struct EnvironmentTests {
    /// The levels that a program with this environment logs.
    private func levels(_ environment: [String: String]) throws -> [String] {
        let outcome = try Program.run(["levels"], environment: environment)
        #expect(outcome.status == 0)
        return outcome.log.filter { $0.contains("] level ") }
            .compactMap { $0.split(separator: " ").last.map(String.init) }
    }

    private static let all = [
        "emergency", "alert", "critical", "error", "warning", "notice", "info", "debug",
    ]

    @Test
    func `without variables a program logs text up to notice on standard error`() throws {
        let outcome = try Program.run(["levels"])
        #expect(outcome.log.count == 6)
        let line = try #require(outcome.log.last)
        let pattern = #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z notice  \[program\] level notice/#
        #expect(line.wholeMatch(of: pattern) != nil, "\(line)")
        #expect(outcome.account("stderr", "accepted") == 6)
        #expect(outcome.account("stderr", "delivered") == 6)
    }

    @Test(arguments: [
        ("debug", 8), ("info", 7), ("notice", 6), ("warning", 5), ("warn", 5), ("err", 4),
        ("Error", 4), ("crit", 3), ("3", 4), ("trace", 8), ("off", 0), ("emerg", 1),
        ("program=debug", 8), ("debug,program=err", 4), ("info,prog=debug", 7),
    ])
    func `WINNOW_LOG sets the level`(filter: String, count: Int) throws {
        #expect(try levels(["WINNOW_LOG": filter]) == Array(Self.all.prefix(count)))
    }

    @Test
    func `WINNOW_FORMAT and a sink's format take a pattern`() throws {
        let outcome = try Program.run(
            ["levels"],
            environment: [
                "WINNOW_FORMAT": "pattern:{level:letter} {identifier}{ category:upper}",
                "WINNOW_IDENTIFIER": "me", "WINNOW_LOG": "error",
                "WINNOW_SINKS":
                    "stderr,stderr@alert?format=pattern:{level:>9}%2C{ category} {message}",
            ]
        )
        let problem =
            "WINNOW_FORMAT: 'pattern:{level:letter} {identifier}{ category:upper}':"
            + " unknown option 'upper' of 'category' at character 47"
        // Each sink is told.
        #expect(outcome.log.filter { $0.hasSuffix(problem) }.count == 2)
        #expect(outcome.log.filter { $0 == "    alert, program level alert" }.count == 1)
        #expect(outcome.log.filter { $0.hasSuffix(" alert   [program] level alert") }.count == 1)
    }

    @Test(arguments: [
        ("always", "\u{1B}[31merror\u{1B}[0m  |level error"), ("auto", "error  |level error"),
    ])
    func `a pattern is colored where text is`(color: String, line: String) throws {
        let outcome = try Program.run(
            ["levels"],
            environment: [
                "WINNOW_FORMAT": "pattern:{level:<7}|{message}", "WINNOW_COLOR": color,
                "WINNOW_LOG": "error",
            ]
        )
        #expect(outcome.log.last == line)
    }

    @Test
    func `WINNOW_LOG sets a set of levels`() throws {
        #expect(try levels(["WINNOW_LOG": "program=error|debug"]) == ["error", "debug"])
    }

    @Test
    func `WINNOW_LOG matches whole components of a category`() throws {
        let outcome = try Program.run(
            ["categories"],
            environment: ["WINNOW_LOG": "notice,net=debug,db.*=debug"]
        )
        let categories = outcome.log.compactMap { $0.split(separator: "in ").last }
        #expect(categories == ["net", "net.http", "db.pool"])
    }

    @Test
    func `what WINNOW_LOG cannot mean is said once with its place and the rest applies`() throws {
        let outcome = try Program.run(
            ["categories", "categories"],
            environment: ["WINNOW_LOG": "net=debgu,network=debug"]
        )
        let warnings = outcome.log.filter { $0.contains("[winnow]") }
        #expect(warnings.count == 1)
        #expect(
            warnings.first?.hasSuffix(
                "WINNOW_LOG: 'net=debgu': unknown level 'debgu' at character 5; did you mean 'debug'?"
            ) == true
        )
        #expect(outcome.log.filter { $0.contains("in network") }.count == 2)
    }

    @Test
    func `a warning about a variable is said though the filter is off`() throws {
        let outcome = try Program.run(
            ["levels"],
            environment: ["WINNOW_LOG": "off", "WINNOW_FORMAT": "jsom"]
        )
        #expect(outcome.log.count == 1)
        #expect(
            outcome.log.first?.hasSuffix(
                "WINNOW_FORMAT: 'jsom': unknown format 'jsom' at character 1; did you mean 'json'?"
            ) == true
        )
    }

    @Test(arguments: ["syslog+tcp://localhost:1", "syslog+tcp://localhost:1,syslog+tcp://[::1]:1"])
    func `a warning about a variable is said where no sink could be told`(sinks: String) throws {
        let outcome = try Program.run(
            ["say=x", "no-status"],
            environment: ["WINNOW_LOG": "net=debgu", "WINNOW_SINKS": sinks]
        )
        let said = outcome.log.filter {
            $0
                == "winnow: WINNOW_LOG: 'net=debgu': unknown level 'debgu' at character 5; did you mean 'debug'?"
        }
        #expect(said.count == 1, "\(outcome.log)")
    }

    @Test func `a warning about a variable that one sink was told is said once`() throws {
        let outcome = try Program.run(
            ["say=x", "no-status"],
            environment: [
                "WINNOW_LOG": "net=debgu", "WINNOW_SINKS": "syslog+tcp://localhost:1,stderr",
            ]
        )
        #expect(outcome.log.filter { $0.contains("debgu") }.count == 1, "\(outcome.log)")
    }

    @Test(arguments: ["debug;net=info", "error net=debug"])
    func `a wrong separator is said`(filter: String) throws {
        let outcome = try Program.run(["say=x"], environment: ["WINNOW_LOG": filter])
        let said = outcome.log.filter { $0.contains("WINNOW_LOG: ") }
        #expect(said.contains { $0.contains("separated by ','") })
    }

    @Test
    func `LOG_LEVEL and DEBUG_INVOCATION come after WINNOW_LOG`() throws {
        #expect(try levels(["LOG_LEVEL": "trace"]).count == 8)
        #expect(try levels(["LOG_LEVEL": "critical"]).count == 3)
        #expect(try levels(["LOG_LEVEL": "debug", "WINNOW_LOG": "error"]).count == 4)
        #expect(try levels(["DEBUG_INVOCATION": "1"]).count == 8)
        #expect(try levels(["DEBUG_INVOCATION": "1", "LOG_LEVEL": "info"]).count == 7)
        #expect(try levels(["DEBUG_INVOCATION": "0"]).count == 6)
        #expect(try levels(["LOG_LEVEL": "loud"]).count == 6)
    }

    @Test
    func `WINNOW_FORMAT json gives lines that a JSON parser reads`() throws {
        let outcome = try Program.run(
            ["fields", "say=a \"b\" \\ \n\u{1B}[31m"],
            environment: ["WINNOW_FORMAT": "json"]
        )
        let objects = try outcome.log.map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(objects.count == 2)
        #expect(objects[0]["level"] as? String == "notice")
        #expect(objects[0]["category"] as? String == "program")
        #expect(objects[1]["message"] as? String == "a \"b\" \\ \n\u{1B}[31m")
        let fields = try #require(objects[0]["fields"] as? [String: Any])
        #expect(fields["request.id"] as? String == "r1")
        #expect(fields["9lives"] as? Int == 9)
        #expect(fields["naïve"] as? Bool == true)
    }

    @Test
    func `WINNOW_FORMAT logfmt gives pairs`() throws {
        let outcome = try Program.run(["say=a b"], environment: ["WINNOW_FORMAT": "logfmt"])
        #expect(outcome.log.first?.contains("level=notice") == true)
        #expect(outcome.log.first?.contains("msg=\"a b\"") == true)
    }

    @Test
    func `WINNOW_SINKS chooses sinks, levels and options`() throws {
        let folder = try TemporaryFolder()
        let outcome = try Program.run(
            ["levels"],
            environment: [
                "WINNOW_LOG": "debug",
                "WINNOW_SINKS": "stderr@error,file:\(folder.path)/a%2Cb.log@info?format=json",
            ]
        )
        #expect(outcome.log.count == 4)
        let lines = try folder.lines(of: "a,b.log")
        #expect(lines.count == 7)
        #expect(lines.allSatisfy { $0.hasPrefix("{") })
    }

    @Test
    func `a sink that does not exist is named with its nearest word`() throws {
        let outcome = try Program.run(
            ["levels"],
            environment: ["WINNOW_SINKS": "jurnald@notice,stderr@error?colour=never"]
        )
        let warnings = outcome.log.filter { $0.contains("[winnow]") }
        #expect(warnings.count == 2)
        #expect(warnings.contains { $0.contains("'jurnald'") && $0.contains("'journald'?") })
        #expect(warnings.contains { $0.contains("'colour'") && $0.contains("'color'?") })
        #expect(outcome.log.filter { $0.contains("] level ") }.count == 4)
    }

    @Test
    func `a file of the environment that cannot be opened is said and loses nothing`() throws {
        let outcome = try Program.run(
            ["levels"],
            environment: ["WINNOW_SINKS": "file:/nowhere/at/all.log"]
        )
        #expect(outcome.log.filter { $0.contains("] level ") }.count == 6)
        let warnings = outcome.complaints.filter { $0.contains("[winnow]") }
        #expect(warnings.filter { $0.contains("cannot be opened") }.count == 1)
        #expect(
            warnings.first?.hasSuffix(
                "cannot be opened: No such file or directory; its records wait until it can be"
            ) == true
        )
        #expect(outcome.account("file:/nowhere/at/all.log", "accepted") == 6)
        #expect(outcome.account("file:/nowhere/at/all.log", "queued") == 6)
        #expect(outcome.complaints.last?.contains("all.log: lost 6 records") == true)
    }

    @Test
    func `WINNOW_PRIVATE shows or hides private values`() throws {
        func message(_ policy: String?) throws -> String {
            let environment = policy.map { ["WINNOW_PRIVATE": $0] } ?? [:]
            let log = try Program.run(["private"], environment: environment).log
            return String(log.last?.split(separator: "[program] ").last ?? "")
        }
        #expect(try message(nil) == "user <private> <private>")
        #expect(try message("redact") == "user <private> <private>")
        #expect(try message("show") == "user ann key")
        #expect(try message("hash").contains(#/^user <hash: [0-9a-f]{16}> <private>$/#))
        #expect(try message("reveal") == "user <private> <private>")
    }

    @Test
    func `an unknown variable of our prefix is named`() throws {
        let outcome = try Program.run(["say=x"], environment: ["WINNOW_LOGS": "debug"])
        #expect(outcome.log.count == 2)
        #expect(outcome.log.contains { $0.contains("WINNOW_LOGS") && $0.contains("'WINNOW_LOG'?") })
    }

    @Test
    func `a path with bytes that are not UTF-8 makes no other file`() throws {
        let folder = try TemporaryFolder()
        let script = #"WINNOW_SINKS=$(printf 'file:%s/caf\351.log' "$0") exec "$1" say=x"#
        let outcome = try Program.run(
            ["-c", script, folder.path, Program.path],
            executable: "/bin/sh"
        )
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        #expect(outcome.log.contains { $0.contains("caf\u{FFFD}.log': it is not UTF-8 at ") })
        #expect(outcome.log.contains { $0.hasSuffix(" x") })
    }

    @Test
    func `what the code got wrong is thrown with its name and place`() throws {
        let outcome = try Program.run(["start-bad", "say=still logs"])
        #expect(outcome.stdout.contains("'net=debgu': unknown level 'debgu' at character 5"))
        #expect(outcome.stdout.contains("'file:/nowhere/at/all.log'"))
        #expect(outcome.log.last?.hasSuffix("still logs") == true)
    }

    @Test
    func `the first record starts the log and leaves errno alone`() throws {
        let outcome = try Program.run(["errno"])
        #expect(outcome.log.first?.contains("bind failed: Address already in use") == true)
        #expect(outcome.log.first?.hasSuffix(" errno=98") == true)
        #expect(outcome.stdout.contains("errno 98\n"))
    }

    @Test
    func `the environment overrides the code`() throws {
        let code = try Program.run(["start=mine", "levels"])
        #expect(code.log.count == 7)
        let environment = try Program.run(
            ["start=mine", "levels"],
            environment: ["WINNOW_LOG": "err"]
        )
        #expect(environment.log.count == 4)
    }

    @Test
    func `what a rate limit has held back last is told at exit`() throws {
        let outcome = try Program.run(["limited=8"])
        let reports = outcome.log.filter { $0.contains("suppressed by the rate limit") }
        #expect(outcome.log.filter { $0.contains("] once") }.count == 1)
        #expect(outcome.log.filter { $0.contains(" third ") }.count == 3)
        #expect(reports.count == 2)
        let once =
            #/.* warning \[winnow\] 7 records were suppressed by the rate limit at program, LogProgram/main.swift:\d+ .*/#
        #expect(reports.contains { $0.wholeMatch(of: once) != nil }, "\(reports)")
        let third =
            #/.* notice  \[winnow\] 1 record was suppressed by the rate limit at LogProgram/main.swift:\d+ .*/#
        #expect(reports.contains { $0.wholeMatch(of: third) != nil }, "\(reports)")
    }
}
