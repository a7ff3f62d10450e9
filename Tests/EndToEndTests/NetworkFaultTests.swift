// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Support
import Synchronization
import Testing

/// What becomes of records while a real rsyslogd ends, comes back, or stands still.
@Suite(
    .enabled(if: RsyslogServer.isInstalled, RsyslogServer.reason),
    .serialized,
    .timeLimit(.minutes(30))
)
struct NetworkFaultTests {
    /// The records that 8 threads log, and one at the end.
    private static let recordCount = 8 * 5_000 + 1

    /// Logs while the server has its faults; a pause before it is tried again may take seconds.
    private func run(
        to server: RsyslogServer,
        _ faults: @escaping @Sendable () throws -> Void
    ) throws -> (delivered: Int, lost: Int, messages: [ParsedMessage]) {
        let transport = server.certificates == nil ? "tcp" : "tls"
        let name = "syslog+\(transport)://127.0.0.1:\(server.tcpPort)"
        let options = server.certificates.map { "?ca=\($0.authority)" } ?? ""
        let tasks = ["threads=8,5000", "wait", "flush=60", "say=end", "flush=60"]
        let outcome = try runWithFaults(tasks, to: name + options, faults)
        #expect(outcome.status == 0)
        let delivered = outcome.account(name, "delivered") ?? 0
        #expect(outcome.account(name, "accepted") == Self.recordCount)
        #expect(outcome.account(name, "queued") == 0)
        let lost = outcome.account(name, "lost") ?? 0
        #expect(delivered + lost == Self.recordCount)
        return (delivered, lost, try server.messages(upTo: "end"))
    }

    /// Expects that each message is whole and came once; returns the records of the program.
    private func expectWhole(_ messages: [ParsedMessage]) -> [ParsedMessage] {
        let records = messages.ofProgram
        #expect(
            records.allSatisfy {
                $0.msg == "end" || $0.msg.hasPrefix("thread ")
            }
        )
        #expect(Set(records.map(\.msg)).count == records.count)
        #expect(Set(messages.compactMap(\.sequenceID)).count == messages.count)
        return records
    }

    @Test(arguments: [SIGKILL, SIGTERM])
    func `a server that ends and comes back gets the rest, and a gap shows what it lost`(
        signal: Int32
    ) throws {
        try end(RsyslogServer(), by: signal)
    }

    @Test(.enabled(if: Certificates.isPossible, Certificates.reason))
    func `so does one within TLS`() throws {
        try end(RsyslogServer(certificates: Certificates()), by: SIGKILL)
    }

    private func end(_ server: RsyslogServer, by signal: Int32) throws {
        let (delivered, lost, messages) = try run(to: server) {
            waitUntil("rsyslogd has written 2,000 messages", every: 1_000) {
                server.messageCount >= 2_000
            }
            server.end(by: signal)
            usleep(300_000)
            try server.start()
        }
        let records = expectWhole(messages)
        #expect(records.last?.msg == "end")
        // What the kernels had when the server ended is in no account, but in the numbers.
        #expect(records.count <= delivered)
        let gap = (messages.compactMap(\.sequenceID).max() ?? 0) - messages.count
        let lostOnTheWay = delivered - records.count
        // A report of losses is a message as well, which may get lost there, and in no account.
        #expect(lost == 0 ? gap == lostOnTheWay : gap >= lostOnTheWay)
    }

    @Test
    func `a server that stands still for a while loses nothing that was delivered`() throws {
        let server = try RsyslogServer()
        let (delivered, _, messages) = try run(to: server) {
            waitUntil("rsyslogd has written 2,000 messages", every: 1_000) {
                server.messageCount >= 2_000
            }
            server.signal(SIGSTOP)
            usleep(700_000)
            server.signal(SIGCONT)
        }
        let records = expectWhole(messages)
        #expect(records.count == delivered)
        #expect(messages.areNumbered)
    }
}

/// Runs the program, and the faults on a thread beside it; a task `wait` waits for their end.
func runWithFaults(
    _ tasks: [String],
    to sink: String,
    _ faults: @escaping @Sendable () throws -> Void
) throws -> Program.Outcome {
    let input = Pipe()
    let problem = Mutex<(any Error)?>(nil)
    let thread = StartedThread {
        do {
            try faults()
        } catch {
            problem.withLock { $0 = error }
        }
        try? input.fileHandleForWriting.close()
    }
    defer { thread.join() }
    let outcome = try Program.run(
        tasks,
        environment: ["WINNOW_SINKS": sink, "WINNOW_LOG": "notice"],
        stdin: input.fileHandleForReading
    )
    try problem.withLock { if let error = $0 { throw error } }
    return outcome
}
