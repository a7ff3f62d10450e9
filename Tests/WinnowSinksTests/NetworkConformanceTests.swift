// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import WinnowCore
import WinnowFormatters
import WinnowNetwork
import WinnowSinks
import WinnowTesting

/// The sink of the network before the checks that every sink can be run through; what a real rsyslogd
/// makes of it stands with the tests end to end.
@Suite(.timeLimit(.minutes(30)))
struct NetworkConformanceTests {
    /// Where a server takes messages of this size, texts of a little less are whole.
    private static let byteCount = 60_000
    private static let wholeByteCount = 40_000

    private static func makeSink(_ server: SyslogServer) -> NetworkSyslogSink {
        let formatter = NetworkSyslogFormatter(identifier: "a", byteCount: byteCount, host: "h")
        return NetworkSyslogSink(to: server, formatter: formatter)
    }

    @Test func `syslog over TCP keeps the laws`() async throws {
        let conformance = SinkConformance {
            let receiver = TCPReceiver()
            let reader = BackgroundReader { receiver.read() }
            var subject = SinkConformance.Subject(
                Self.makeSink(.tcp("127.0.0.1", port: receiver.port))
            )
            subject.wholeByteCount = Self.wholeByteCount
            subject.delivered = { reader.pieces }
            subject.stall = .init(.busy, begin: { reader.pause() }, end: { reader.resume() })
            subject.outage = .init(
                .unavailable,
                begin: { reader.afterLast { receiver.stop() } },
                end: { reader.afterLast { receiver.restart() } }
            )
            subject.relocate = {
                reader.afterLast { receiver.restart() }
                reader.removeAll()
            }
            return subject
        }
        try await conformance.patient.run().verify()
    }

    /// Of a server that is away UDP says so of a datagram that is lost already, and of one that reads
    /// nothing not at all: two laws that the transport cannot keep, as ``NetworkSyslogSink`` says.
    @Test func `syslog over UDP keeps the laws that the transport allows`() async throws {
        var conformance = SinkConformance {
            let receiver = UDPReceiver()
            let reader = BackgroundReader { receiver.read() }
            var subject = SinkConformance.Subject(
                Self.makeSink(.udp("127.0.0.1", port: receiver.port))
            )
            subject.wholeByteCount = Self.wholeByteCount
            subject.delivered = { reader.pieces }
            subject.outage = .init(
                .unavailable,
                begin: { reader.afterLast { receiver.stop() } },
                end: { reader.afterLast { receiver.restart() } }
            )
            subject.relocate = {
                reader.afterLast { receiver.restart() }
                reader.removeAll()
            }
            return subject
        }
        conformance.laws.removeAll { $0 == .refusal }
        try await conformance.patient.run().verify(unchecked: [.boundedTime])
    }

    /// RFC 5424, section 7.3.1: the number after 2147483647 is 1.
    @Test(arguments: [false, true])
    func `after the greatest number of a message comes 1`(isBatch: Bool) throws {
        let receiver = TCPReceiver()
        let reader = BackgroundReader { receiver.read() }
        let sink = NetworkSyslogSink(
            to: .tcp("127.0.0.1", port: receiver.port),
            formatter: NetworkSyslogFormatter(identifier: "a", host: "h"),
            deliveredCount: 2_147_483_645
        )
        for text in ["one", "two", "three", "four"] {
            if isBatch, text != "one" {
                withRecord(LogMessage(verbatim: text)) { record in _ = sink.hold(record) }
            } else {
                while failure({ () throws(SinkError) in try sink.write(text) }) != nil {
                    usleep(1_000)
                }
            }
        }
        if isBatch { #expect(sink.commit() == (3, nil)) }
        while reader.pieces.count < 4 { usleep(1_000) }
        let numbers = reader.pieces.map { bytes in
            String(decoding: bytes, as: UTF8.self).split(separator: "\"")[1]
        }
        #expect(numbers == ["2147483646", "2147483647", "1", "2"])
    }
}
