// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// From a log call to the file of a real rsyslogd.
@Suite(.enabled(if: Rsyslog.isInstalled, Rsyslog.reason))
struct SyslogTests {
    private func run(
        _ tasks: [String],
        to daemon: Rsyslog,
        identifier: String = "myapp"
    ) throws -> Program.Outcome {
        let outcome = try Program.run(
            tasks + ["flush=60"],
            environment: [
                "WINNOW_SINKS": "syslog:\(daemon.socket)?facility=local0",
                "WINNOW_IDENTIFIER": identifier, "WINNOW_LOG": "debug",
            ]
        )
        #expect(outcome.status == 0)
        #expect(outcome.complaints == [])
        return outcome
    }

    @Test
    func `levels, tag and process are read as they were meant`() throws {
        let daemon = try Rsyslog()
        _ = try run(["levels"], to: daemon)
        let lines = daemon.lines(count: 8)
        // 16 (local0) * 8 + level
        let priorities = lines.map { $0.split(separator: " ")[0] }
        #expect(priorities == ["128", "129", "130", "131", "132", "133", "134", "135"])
        let pattern = #/135 myapp\[(\d+)\]: myapp (\d+) \[program\] level debug/#
        let match = try #require(lines.last?.wholeMatch(of: pattern), "\(lines.last ?? "")")
        #expect(match.1 == match.2)
    }

    @Test(arguments: [("my app", "my_app"), ("a/b:c[d]", "a_b_c_d_"), ("ünï", "_n_")])
    func `an identifier becomes a tag that daemons read whole`(name: String, tag: String) throws {
        let daemon = try Rsyslog()
        _ = try run(["say=x"], to: daemon, identifier: name)
        let line = try #require(daemon.lines(count: 1).first)
        #expect(line.split(separator: " ")[2] == tag)
        #expect(line.hasSuffix("[program] x"))
    }

    @Test
    func `a message makes one line and forges nothing`() throws {
        let daemon = try Rsyslog()
        let messages = ["\n<0>forged", "x\nPRIORITY=0", "\u{1B}[2J", "\u{202E}x", "a\u{2028}b", ""]
        _ = try run(messages.map { "say=\($0)" } + ["say=end"], to: daemon)
        let lines = daemon.lines(count: messages.count + 1)
        #expect(lines.count == messages.count + 1)
        #expect(lines.allSatisfy { $0.hasPrefix("133 myapp[") })
        #expect(lines[0].hasSuffix(#"[program] \n<0>forged"#))
        #expect(lines[2].hasSuffix(#"[program] \u{1b}[2J"#))
        #expect(lines.last?.hasSuffix("[program] end") == true)
    }

    @Test
    func `8 threads times 10 000 records arrive once each, or are reported lost`() throws {
        let daemon = try Rsyslog()
        let outcome = try run(["threads=8,10000"], to: daemon)
        let name = "syslog:\(daemon.socket)"
        let delivered = try #require(outcome.account(name, "delivered"))
        // A daemon that gets no processor for longer than callers wait takes fewer of them.
        #expect(outcome.account(name, "lost") == 80_000 - delivered)
        var lines: [String] = []
        var others = (before: -1, now: 0)
        // Reports of losses are lines: the last of the program's may come behind them.
        while lines.count < delivered, others.before != others.now {
            let all = daemon.lines(count: delivered + others.now)
            lines = all.filter { $0.contains("] thread ") }
            others = (others.now, all.count - lines.count)
        }
        #expect(lines.count == delivered)
        let isEachOnce =
            Set(lines.compactMap { $0.split(separator: "] ").last }).count == delivered
        #expect(isEachOnce)
    }

    @Test
    func `without a daemon records go to standard error, and that is said once`() throws {
        let outcome = try Program.run(
            ["levels"],
            environment: ["WINNOW_SINKS": "syslog:/run/winnow-test/nobody"]
        )
        #expect(outcome.log.filter { $0.contains("is not there") }.count == 1)
        #expect(outcome.log.filter { $0.contains("] level ") }.count == 6)
        #expect(outcome.account("syslog:/run/winnow-test/nobody", "diverted") == 6)
    }

    /// Runs the program against a datagram socket that a script of Python has made.
    private func run(_ tasks: [String], againstSocket end: String) throws -> (
        Program.Outcome, String
    ) {
        let folder = try TemporaryFolder()
        let script = """
            python3 -c '
            import socket, time
            s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            s.bind("\(folder.path)/log")
            open("\(folder.path)/ready", "w").close()
            \(end)' >/dev/null 2>&1 &
            while [ ! -e "\(folder.path)/ready" ]; do sleep 0.01; done
            "$0" "$@"
            status=$?
            kill -KILL $! 2>/dev/null
            exit $status
            """
        let name = "syslog:\(folder.path)/log"
        let outcome = try Program.run(
            ["-c", script, Program.path] + tasks,
            environment: ["WINNOW_SINKS": name],
            executable: "/bin/sh"
        )
        return (outcome, name)
    }

    @Test
    func `a socket that the daemon left behind is as no daemon`() throws {
        let (outcome, name) = try run(["levels"], againstSocket: "s.close()")
        #expect(outcome.log.filter { $0.contains("is not there") }.count == 1)
        #expect(outcome.log.filter { $0.contains("] level ") }.count == 6)
        #expect(outcome.account(name, "accepted") == 6)
        #expect(outcome.account(name, "diverted") == 6)
    }

    @Test(.timeLimit(.minutes(30)))
    func `a daemon that never reads keeps nobody, and the account adds up`() throws {
        let (outcome, name) = try run(["threads=8,5000"], againstSocket: "time.sleep(50)")
        #expect(outcome.status == 0)
        let settled = ["delivered", "queued", "lost"].reduce(0) {
            $0 + (outcome.account(name, $1) ?? 0)
        }
        #expect(outcome.account(name, "accepted") == 40_000)
        #expect(settled == 40_000)
        #expect(outcome.account(name, "delivered") ?? 0 > 0)
        // At exit nobody is left to be told but standard error.
        #expect(outcome.log.contains { $0.hasPrefix("winnow: \(name): lost ") })
    }
}
