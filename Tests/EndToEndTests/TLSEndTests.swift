// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The end of a program that logs over TLS, and may use OpenSSL itself.
@Suite(.enabled(if: Certificates.isPossible, Certificates.reason), .timeLimit(.minutes(15)))
struct TLSEndTests {
    /// Runs the program, which logs to the server.
    private func run(
        _ tasks: [String],
        to server: RsyslogServer,
        environment: [String: String] = [:]
    ) throws -> Program.Outcome {
        let authority = server.certificates?.authority ?? ""
        let sink = "syslog+tls://localhost:\(server.tcpPort)?ca=\(authority)"
        return try Program.run(
            tasks,
            environment: environment.merging(["WINNOW_SINKS": sink]) { $1 }
        )
    }

    /// In deferred delivery nobody has begun to connect when a program exits at once: see below.
    @Test(
        arguments: [
            ("immediate", []), ("immediate", ["say=first", "flush=60"]),
            ("deferred", ["say=first", "flush=60"]),
        ]
    )
    func `a program that uses OpenSSL since the start delivers its last records`(
        delivery: String,
        before: [String]
    ) throws {
        let server = try RsyslogServer(certificates: Certificates())
        for _ in 0..<5 {
            let outcome = try run(
                ["start=app", "openssl"] + before + ["burst=100", "no-status"],
                to: server,
                environment: ["WINNOW_DELIVERY": delivery]
            )
            #expect(outcome.status == 0)
            #expect(outcome.complaints == [])
        }
        let messages = try server.messages(count: 5 * (100 + before.count / 2))
        #expect(messages.ofProgram.count == 5 * (100 + before.count / 2))
    }

    @Test func `a first connection behind the end of OpenSSL is told, with the reason`() throws {
        let server = try RsyslogServer(certificates: Certificates())
        let outcome = try run(
            ["start=app", "openssl", "burst=100", "no-status"],
            to: server,
            environment: ["WINNOW_DELIVERY": "deferred"]
        )
        #expect(outcome.status == 0)
        // The worker may be in time.
        let reason = "OpenSSL has been cleaned up"
        #expect(outcome.complaints.allSatisfy { $0.contains(reason) }, "\(outcome.stderr)")
        if outcome.complaints.isEmpty { _ = try server.messages(count: 100) }
    }

    @Test func `what is logged behind the end of OpenSSL is told, with the reason`() throws {
        let server = try RsyslogServer(certificates: Certificates())
        let outcome = try run(
            ["start=app", "openssl", "say=first", "flush=60", "openssl-cleanup", "say=last"],
            to: server
        )
        #expect(outcome.status == 0)
        #expect(
            outcome.log.contains {
                $0.contains(": lost 1 record (1 notice)") && $0.contains("OpenSSL has been cleaned up")
            },
            "\(outcome.stderr)"
        )
        #expect(try server.messages(count: 1).ofProgram.map(\.msg) == ["first"])
    }
}
