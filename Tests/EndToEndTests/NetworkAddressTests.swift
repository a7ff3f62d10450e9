// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Support
import Testing

/// A host with several addresses, of which not all are of use.
@Suite(.enabled(if: Namespace.isAllowed, "no mount namespace: not root"), .timeLimit(.minutes(30)))
struct NetworkAddressTests {
    /// Runs the program where the host `winnow-two` has these addresses.
    private func run(
        _ tasks: [String],
        addresses: [String],
        to sink: String
    ) throws -> Program.Outcome {
        let folder = try TemporaryFolder()
        let hosts = "\(folder.path)/hosts"
        try addresses.map { "\($0) winnow-two\n" }.joined()
            .write(toFile: hosts, atomically: true, encoding: .utf8)
        let script = "mount --bind '\(hosts)' /etc/hosts && exec '\(Program.path)' \"$@\""
        return try Program.run(
            ["-m", "sh", "-c", script, "sh"] + tasks,
            environment: ["WINNOW_SINKS": sink],
            executable: "/usr/bin/unshare"
        )
    }

    @Test(
        .enabled(if: RsyslogServer.isInstalled, RsyslogServer.reason),
        arguments: ["tcp", "tls"]
    )
    func `a stream goes to the next address where one ends each connection`(
        transport: String
    ) throws {
        let certificates =
            transport == "tls" ? try Certificates(names: "DNS:winnow-two") : nil
        let server = try RsyslogServer(certificates: certificates)
        let other = try #require(HangingUp(at: server.tcpPort))
        let name = "syslog+\(transport)://winnow-two:\(server.tcpPort)"
        let outcome = try run(
            // A connection that is of no use may be noticed late, by the next record.
            ["say=1", "sleep=2", "say=2", "sleep=2", "say=3", "sleep=2", "say=end", "flush=60"],
            addresses: ["::1", "127.0.0.1"],
            to: name + (certificates.map { "?ca=\($0.authority)" } ?? "")
        )
        #expect(outcome.status == 0)
        #expect(other.count >= 1)
        #expect(try server.messages(upTo: "end").ofProgram.last?.msg == "end")
    }

    @Test(arguments: ["127.0.0.1", "224.0.0.1"])
    func `the reason told is that of the address which there is a way to`(first: String) throws {
        // No stream leads to the address of a group.
        let second = first == "127.0.0.1" ? "224.0.0.1" : "127.0.0.1"
        let outcome = try run(
            ["say=1", "sleep=1"],
            addresses: [first, second],
            to: "syslog+tcp://winnow-two:\(Ports.take(SOCK_STREAM))"
        )
        #expect(outcome.stdout.contains("Connection refused"))
    }
}

/// A server on the loopback address of IPv6 that ends each connection at once.
private final class HangingUp: Sendable {
    private let socket: Int32
    private let connections = Counter()
    private let thread: StartedThread

    init?(at port: UInt16) {
        let socket = Glibc.socket(AF_INET6, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        address.sin6_addr = in6addr_loopback
        let status = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
            }
        }
        guard status == 0, listen(socket, 16) == 0 else { return nil }
        let connections = connections
        self.socket = socket
        thread = StartedThread {
            while case let connection = accept(socket, nil, nil), connection >= 0 {
                close(connection)
                connections.increment()
            }
        }
    }

    deinit {
        shutdown(socket, Int32(SHUT_RDWR))
        thread.join()
        close(socket)
    }

    /// How many connections it has ended.
    var count: Int { connections.value }
}
