// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// Syslog within TLS, to a real rsyslogd with certificates of the test's own.
@Suite(.enabled(if: Certificates.isPossible, Certificates.reason), .timeLimit(.minutes(30)))
struct TLSSyslogTests {
    private func name(_ server: RsyslogServer, host: String = "localhost") -> String {
        "syslog+tls://\(host):\(server.tcpPort)"
    }

    private func run(_ tasks: [String], to sink: String) throws -> Program.Outcome {
        let outcome = try Program.run(tasks, environment: ["WINNOW_SINKS": sink])
        // Also where the process exits while it shakes hands.
        #expect(outcome.status == 0)
        return outcome
    }

    @Test(arguments: ["localhost", "127.0.0.1"])
    func `a server whose certificate is for its name or address gets all records`(
        host: String
    ) throws {
        let certificates = try Certificates()
        let server = try RsyslogServer(certificates: certificates)
        let name = name(server, host: host)
        let outcome = try run(["levels", "flush=60"], to: "\(name)?ca=\(certificates.authority)")
        #expect(outcome.complaints == [])
        #expect(outcome.account(name, "delivered") == 6)
        let messages = try server.messages(count: 6)
        #expect(messages.ofProgram.map(\.pri) == ["8", "9", "10", "11", "12", "13"])
        #expect(messages.ofProgram.last?.msg == "level notice")
        #expect(messages.areNumbered)
    }

    @Test func `a server that takes lines gets a message for each record`() throws {
        let certificates = try Certificates()
        let server = try RsyslogServer(certificates: certificates, takesLinesOnly: true)
        let name = name(server)
        let outcome = try run(
            ["say=a\nb", "burst=500", "flush=60"],
            to: "\(name)?framing=lf&ca=\(certificates.authority)"
        )
        #expect(outcome.account(name, "delivered") == 501)
        let messages = try server.messages(count: 501)
        #expect(messages.areNumbered)
        #expect(messages.ofProgram.map(\.msg) == [#"a\nb"#] + (0..<500).map { "\($0)" })
    }

    @Test func `8 threads times 5 000 records arrive once each, or are reported lost`() throws {
        let certificates = try Certificates()
        let server = try RsyslogServer(certificates: certificates)
        let name = name(server)
        let outcome = try run(
            ["threads=8,5000", "flush=120", "say=end", "flush=120"],
            to: "\(name)?ca=\(certificates.authority)"
        )
        let delivered = outcome.account(name, "delivered") ?? 0
        #expect(outcome.account(name, "accepted") == 40_001)
        #expect(delivered + (outcome.account(name, "lost") ?? 0) == 40_001)
        let messages = try server.messages(upTo: "end")
        #expect(messages.ofProgram.count == delivered)
        #expect(Set(messages.ofProgram.map(\.msg)).count == delivered)
        #expect(messages.areNumbered)
    }

    @Test func `a server whose certificate is for another gets nothing`() throws {
        let certificates = try Certificates(names: "DNS:logs.example.org,IP:192.0.2.1")
        let server = try RsyslogServer(certificates: certificates)
        for host in ["localhost", "127.0.0.1"] {
            let name = name(server, host: host)
            let outcome = try run(["levels"], to: "\(name)?ca=\(certificates.authority)")
            #expect(outcome.account(name, "delivered") == 0)
            #expect(outcome.log.contains { $0.hasPrefix("winnow: \(name): lost 6 ") })
        }
        #expect(server.messageCount == 0)
    }

    @Test func `a server whose authority nobody knows gets nothing`() throws {
        let server = try RsyslogServer(certificates: Certificates())
        let name = name(server)
        let others = try Certificates()
        for options in ["", "?ca=\(others.authority)"] {
            let outcome = try run(["levels"], to: name + options)
            #expect(outcome.account(name, "delivered") == 0)
        }
        #expect(server.messageCount == 0)
    }

    @Test func `without the check the records come, and each start warns`() throws {
        let certificates = try Certificates(names: "DNS:logs.example.org")
        let server = try RsyslogServer(certificates: certificates)
        let name = name(server)
        let outcome = try run(["say=end", "flush=60"], to: "\(name)?insecure=yes")
        #expect(outcome.account(name, "delivered") == 1)
        let messages = try server.messages(count: 1)
        #expect(
            messages.first?.msg
                == "WINNOW_SINKS: '\(name)': the certificate of the server is not checked"
        )
        #expect(messages.ofProgram.map(\.msg) == ["end"])
    }

    @Test func `a server that asks who we are gets the records of who can prove it`() throws {
        let certificates = try Certificates()
        let server = try RsyslogServer(certificates: certificates, asksClients: true)
        let name = name(server)
        let authority = "\(name)?ca=\(certificates.authority)"
        let refused = try run(["say=nobody", "flush=3"], to: authority)
        #expect(refused.account(name, "delivered") == 0)
        #expect(refused.stderr.contains("refuses the certificate of this program"))
        let outcome = try run(
            ["say=somebody", "flush=60"],
            to: "\(authority)&cert=\(certificates.client)&key=\(certificates.clientKey)"
        )
        #expect(outcome.account(name, "delivered") == 1)
        #expect(try server.messages(count: 1).ofProgram.map(\.msg) == ["somebody"])
    }

    @Test func `files that are not there are told`() throws {
        let certificates = try Certificates()
        let name = "syslog+tls://localhost:6514"
        let missing = try run(["say=x"], to: "\(name)?ca=/nowhere/ca.pem")
        #expect(
            missing.log.contains {
                $0.hasSuffix("'\(name)': cannot read '/nowhere/ca.pem': No such file or directory")
            }
        )
        let fifo = "\(certificates.client).fifo"
        unsafe mkfifo(fifo, 0o600)
        let waiting = try run(["say=x"], to: "\(name)?ca=\(fifo)")
        #expect(
            waiting.log.contains {
                $0.hasSuffix("'\(name)': cannot read '\(fifo)': it is no regular file")
            }
        )
        let half = try run(["say=x"], to: "\(name)?cert=\(certificates.client)")
        #expect(half.log.contains { $0.hasSuffix("a certificate and its key come together") })
    }

    @Test func `a certificate may have those above it behind it in its file`() throws {
        let certificates = try Certificates()
        let server = try RsyslogServer(certificates: certificates, asksClients: true)
        let name = name(server)
        let chain = "\(certificates.client).chain"
        let texts = try [certificates.client, certificates.authority].map {
            "Subject: of the next\n" + (try String(contentsOfFile: $0, encoding: .utf8))
        }
        try texts.joined().write(toFile: chain, atomically: true, encoding: .utf8)
        let outcome = try run(
            ["say=somebody", "flush=60"],
            to: "\(name)?ca=\(chain)&cert=\(chain)&key=\(certificates.clientKey)"
        )
        #expect(outcome.account(name, "delivered") == 1)
        #expect(try server.messages(count: 1).ofProgram.map(\.msg) == ["somebody"])
    }

    @Test func `a file that is damaged behind its first certificate is not used`() throws {
        let certificates = try Certificates()
        let server = try RsyslogServer(certificates: certificates)
        let name = name(server)
        let damaged = "\(certificates.authority).damaged"
        let text = try String(contentsOfFile: certificates.authority, encoding: .utf8)
        try (text + text.replacing("A", with: "!"))
            .write(toFile: damaged, atomically: true, encoding: .utf8)
        let outcome = try run(["levels"], to: "\(name)?ca=\(damaged)")
        #expect(outcome.account(name, "delivered") == 0)
    }

    @Test func `a server that sends without end gets all records`() throws {
        let certificates = try Certificates()
        let port = Ports.take(SOCK_STREAM)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = [
            "s_server", "-quiet", "-accept", "127.0.0.1:\(port)", "-cert", certificates.server,
            "-key", certificates.serverKey,
        ]
        process.standardInput = FileHandle(forReadingAtPath: "/dev/zero")
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        defer { process.terminate() }
        waitUntil("openssl listens") { Ports.isListening(at: port) }
        let name = "syslog+tls://127.0.0.1:\(port)"
        let outcome = try run(
            ["say=first", "flush=60", "threads=1,200", "flush=60"],
            to: "\(name)?ca=\(certificates.authority)"
        )
        #expect(outcome.account(name, "delivered") == 201)
    }

    @Test func `a server that speaks no TLS gets nothing`() throws {
        let server = try RsyslogServer()
        let name = name(server)
        let outcome = try run(["levels"], to: "\(name)?insecure=yes")
        #expect(outcome.account(name, "delivered") == 0)
        // It takes the greeting of TLS for messages, but gets none.
        let path = "\(server.folder.path)/messages"
        let bytes = FileManager.default.contents(atPath: path) ?? Data()
        #expect(bytes.range(of: Data("sequenceId".utf8)) == nil)
    }
}
