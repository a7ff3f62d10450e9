// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// What becomes of records while the daemon at the socket of this machine ends, comes back, or stands
/// still.
@Suite(.enabled(if: Rsyslog.isInstalled, Rsyslog.reason), .serialized, .timeLimit(.minutes(30)))
struct LocalSyslogFaultTests {
    private static let recordCount = 8 * 5_000 + 1

    /// Logs while the daemon has its faults; returns the texts that it wrote and those on standard
    /// error, without what Winnow says itself.
    private func run(
        to daemon: Rsyslog,
        _ faults: @escaping @Sendable () throws -> Void
    ) throws -> (delivered: Int, texts: [Substring]) {
        let name = "syslog:\(daemon.socket)"
        let tasks = ["threads=8,5000", "wait", "flush=60", "say=end", "flush=60"]
        let outcome = try runWithFaults(tasks, to: name, faults)
        #expect(outcome.status == 0)
        let delivered = outcome.account(name, "delivered") ?? 0
        #expect(outcome.account(name, "accepted") == Self.recordCount)
        #expect(outcome.account(name, "queued") == 0)
        #expect(delivered + (outcome.account(name, "lost") ?? 0) == Self.recordCount)
        let lines = daemon.lines(upTo: "[program] end") + outcome.log
        let texts = lines.compactMap { $0.components(separatedBy: "[program] ").last?[...] }
            .filter { $0 == "end" || $0.hasPrefix("thread ") }
        #expect(texts.allSatisfy { $0 == "end" || $0.split(separator: " ").count == 4 })
        #expect(Set(texts).count == texts.count)
        return (delivered, texts)
    }

    @Test func `a daemon that is killed and comes back gets the rest`() throws {
        let daemon = try Rsyslog()
        let (delivered, texts) = try run(to: daemon) {
            waitUntil("rsyslogd has written 2,000 lines", every: 1_000) {
                daemon.lineCount >= 2_000
            }
            daemon.end(by: SIGKILL)
            usleep(300_000)
            try daemon.start()
            // The sink leaves a path that refused alone for 100 ms.
            usleep(300_000)
        }
        // What the daemon had taken and not written died with it.
        #expect(texts.count <= delivered)
        #expect(texts.contains("end"))
    }

    @Test func `a daemon that stands still for a while loses nothing that was delivered`() throws {
        let daemon = try Rsyslog()
        let (delivered, texts) = try run(to: daemon) {
            waitUntil("rsyslogd has written 2,000 lines", every: 1_000) {
                daemon.lineCount >= 2_000
            }
            daemon.signal(SIGSTOP)
            usleep(700_000)
            daemon.signal(SIGCONT)
        }
        #expect(texts.count == delivered)
    }

    @Test func `a daemon that comes later gets what is logged from then on`() throws {
        let daemon = try Rsyslog(isStarted: false)
        let name = "syslog:\(daemon.socket)"
        let folder = try TemporaryFolder()
        // It comes when the second sink says that the first has had the records.
        let sinks = "\(name),file:\(folder.path)/seen"
        let outcome = try runWithFaults(["levels", "wait", "say=end", "flush=60"], to: sinks) {
            waitUntil("the program has logged its six records") {
                let lines = (try? folder.lines(of: "seen")) ?? []
                return lines.count { $0.contains("] level ") } >= 6
            }
            try daemon.start()
            // The sink leaves a path that refused alone for 100 ms.
            usleep(300_000)
        }
        #expect(outcome.log.filter { $0.contains("] level ") }.count == 6)
        #expect(outcome.account(name, "diverted") == 6)
        let lines = daemon.lines(count: 2)
        #expect(lines.contains { $0.hasSuffix("[program] end") })
        #expect(lines.contains { $0.contains("is back; 6 of its records went to its fallback") })
    }

    @Test func `a message that is longer than the socket takes is cut, and says so`() throws {
        let daemon = try Rsyslog()
        let name = "syslog:\(daemon.socket)"
        let outcome = try Program.run(
            ["big=5000000", "say=end", "flush=60"],
            environment: ["WINNOW_SINKS": name]
        )
        #expect(outcome.account(name, "delivered") == 2)
        let lines = daemon.lines(upTo: "[program] end")
        #expect(lines.count == 2)
        #expect(lines[0].contains("[program] xxxx"))
        #expect(lines[0].hasSuffix("x [truncated]") || lines[0].utf8.count > 60_000)
    }
}
