// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing
import WinnowCore
import WinnowFormatters
import WinnowNetwork
import WinnowSinks
import WinnowTesting

/// The sink of the network with a real rsyslogd behind it, before the checks that every sink can be run
/// through.
@Suite(.enabled(if: RsyslogServer.isInstalled, RsyslogServer.reason), .timeLimit(.minutes(30)))
struct NetworkConformanceTests {
    /// What fits into a message of the server's, 128 KiB, and what is whole of it beside the fields.
    private static let byteCount = 100_000
    private static let wholeByteCount = 80_000

    /// The checks of the sink.
    private func conformance(certificates: Certificates?) -> SinkConformance {
        var conformance = SinkConformance {
            let server = try RsyslogServer(certificates: certificates)
            let address: SyslogServer =
                if let certificates {
                    .tls("localhost", port: server.tcpPort, authorities: certificates.authority)
                } else {
                    .tcp("localhost", port: server.tcpPort)
                }
            let formatter = NetworkSyslogFormatter(identifier: "a", byteCount: Self.byteCount)
            var subject = SinkConformance.Subject(
                NetworkSyslogSink(to: address, formatter: formatter)
            )
            subject.wholeByteCount = Self.wholeByteCount
            subject.delivered = { try server.messages().map { Array($0.msg.utf8) } }
            subject.stall = .init(
                .busy,
                begin: { server.signal(SIGSTOP) },
                end: { server.signal(SIGCONT) }
            )
            subject.outage = .init(
                .unavailable,
                begin: {
                    // What it has not read dies with it.
                    try #require(server.awaitMessages(1))
                    server.end(by: SIGTERM)
                },
                end: { try server.start() }
            )
            subject.relocate = {
                try #require(server.awaitMessages(1))
                server.end(by: SIGTERM)
                try FileManager.default.removeItem(atPath: "\(server.folder.path)/messages")
                try server.start()
            }
            return subject
        }
        conformance.patience = .seconds(120)
        return conformance
    }

    @Test func `rsyslogd keeps the laws with us`() async throws {
        try await conformance(certificates: nil).run().verify()
    }

    @Test(.enabled(if: Certificates.isPossible, Certificates.reason))
    func `rsyslogd keeps the laws with us within TLS`() async throws {
        try await conformance(certificates: Certificates()).run().verify()
    }
}
