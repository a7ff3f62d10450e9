// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing
import WinnowCore
import WinnowFormatters
import WinnowSinks
import WinnowTesting

/// The sink of the network with a real rsyslogd behind it, before the checks that every sink can be run
/// through.
@Suite(.enabled(if: RsyslogServer.isInstalled, RsyslogServer.reason), .timeLimit(.minutes(15)))
struct NetworkConformanceTests {
    /// What fits into a message of the server's, 128 KiB, and what is whole of it beside the fields.
    private static let byteCount = 100_000
    private static let wholeByteCount = 80_000

    /// The checks of the sink.
    private func conformance(certificates: Certificates?) -> SinkConformance {
        SinkConformance {
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
            subject.delivered = { try server.writtenTexts() }
            subject.stall = .init(
                .busy,
                begin: { server.signal(SIGSTOP) },
                end: { server.signal(SIGCONT) }
            )
            subject.outage = .init(
                .unavailable,
                begin: {
                    server.settle()
                    server.end(by: SIGTERM)
                },
                end: { try server.start() }
            )
            subject.relocate = {
                server.settle()
                server.end(by: SIGTERM)
                try FileManager.default.removeItem(atPath: "\(server.folder.path)/messages")
                try server.start()
            }
            return subject
        }
    }

    @Test func `rsyslogd keeps the laws with us`() async throws {
        try await conformance(certificates: nil).run().verify()
    }

    @Test(.enabled(if: Certificates.isPossible, Certificates.reason))
    func `rsyslogd keeps the laws with us within TLS`() async throws {
        try await conformance(certificates: Certificates()).run().verify()
    }
}

extension RsyslogServer {
    /// The texts of the messages that the server has written; one that it is writing is not whole.
    fileprivate func writtenTexts() throws -> [[UInt8]] {
        let bytes = FileManager.default.contents(atPath: "\(folder.path)/messages") ?? Data()
        let end = bytes.lastIndex(of: 0x0A) ?? bytes.startIndex
        return try bytes.prefix(upTo: end).split(separator: 0x0A)
            .map { Array(try JSONDecoder().decode(ParsedMessage.self, from: $0).msg.utf8) }
    }

    /// Waits until the server has written what it has read: nothing more for a while.
    fileprivate func settle() {
        var last = -1
        while messageCount != last {
            last = messageCount
            Thread.sleep(forTimeInterval: 0.3)
        }
    }
}
