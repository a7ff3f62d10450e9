// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// The end of a program that logs over TLS, and may use OpenSSL itself.
@Suite(.enabled(if: Certificates.isPossible, Certificates.reason), .timeLimit(.minutes(30)))
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

    @Test(arguments: ["exit", "main"])
    func `a normal exit says good-bye to the server`(end: String) throws {
        let certificates = try Certificates()
        let port = Ports.take(SOCK_STREAM)
        let output = "\(certificates.authority).output"
        #expect(FileManager.default.createFile(atPath: output, contents: nil))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = [
            "s_server", "-quiet", "-msg", "-accept", "127.0.0.1:\(port)", "-cert",
            certificates.server, "-key", certificates.serverKey,
        ]
        // It ends a connection when its own input ends.
        process.standardInput = Pipe()
        process.standardOutput = FileHandle(forWritingAtPath: output)
        process.standardError = FileHandle.nullDevice
        try process.run()
        defer { process.terminate() }
        waitUntil("openssl listens") { Ports.isListening(at: port) }
        let outcome = try Program.run(
            ["say=last", "flush=60", "end=\(end)"].filter { $0 != "end=main" },
            environment: [
                "WINNOW_SINKS": "syslog+tls://127.0.0.1:\(port)?ca=\(certificates.authority)"
            ]
        )
        #expect(outcome.status == 0)
        try waitUntil("the server has the good-bye") {
            try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n")
                .contains { $0.hasPrefix("<<<") && $0.contains("close_notify") }
        }
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
                $0.contains(": lost 1 record (1 notice)")
                    && $0.contains("OpenSSL has been cleaned up")
            },
            "\(outcome.stderr)"
        )
        #expect(try server.messages(count: 1).ofProgram.map(\.msg) == ["first"])
    }
}
