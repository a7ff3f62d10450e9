// SPDX-License-Identifier: Apache-2.0

import CWinnow
import Glibc
import Testing
import WinnowCore
import WinnowFormatters
import WinnowNetwork
import WinnowSinks

/// A server that sends, which none has a reason to, is read away and holds nobody up.
@Suite(.timeLimit(.minutes(30)))
struct NetworkFloodTests {
    private func makeSink(_ server: SyslogServer) -> NetworkSyslogSink {
        NetworkSyslogSink(to: server, formatter: NetworkSyslogFormatter(identifier: "a", host: "h"))
    }

    @Test func `a log call does not wait for the end of what the server sends`() throws {
        let server = NetworkServer(.stream)
        let sink = makeSink(.tcp("127.0.0.1", port: server.port))
        sink.writeOnceConnected("one")
        let connection = server.accept()
        defer { close(connection) }
        try Flood.run(over: connection, [UInt8](repeating: 0, count: 65_536)) { flood in
            while flood.byteCount < 65_536 { usleep(1_000) }
            for _ in 0..<100 { try sink.write("more") }
            #expect(!flood.isOver)
        }
    }

    @Test func `a look at the server reads away at most 256 KiB of what it has sent`() throws {
        let server = NetworkServer(.stream)
        var turn: UInt32 = 0
        var count: UInt32 = 0
        var lookup: Int8 = 0
        let client = unsafe cwinnow_network_connect(
            "127.0.0.1",
            server.port,
            true,
            &turn,
            &count,
            5_000,
            &lookup
        )
        let connection = server.accept()
        let bytes = [UInt8](repeating: 0, count: 65_536)
        var sent = 0
        while true {
            let count = unsafe send(connection, bytes, bytes.count, Int32(MSG_DONTWAIT))
            guard count > 0 else { break }
            sent += count
        }
        try #require(sent > 262_144)
        #expect(cwinnow_network_check(client) == 0)
        close(connection)
        var left = 0
        while true {
            let count = NetworkServer.read(client).count
            guard count > 0 else { break }
            left += count
        }
        #expect(1...262_144 ~= sent - left)
        #expect(cwinnow_network_check(client) == -EPIPE)
        close(client)
    }

    @Test func `the end of a connection is seen behind what the server has sent`() {
        let server = NetworkServer(.stream)
        let sink = makeSink(.tcp("127.0.0.1", port: server.port))
        sink.writeOnceConnected("one")
        let connection = server.accept()
        let bytes = [UInt8](repeating: 0, count: 100_000)
        #expect(unsafe send(connection, bytes, bytes.count, 0) == bytes.count)
        shutdown(connection, Int32(SHUT_WR))
        let error = failure { () throws(SinkError) in try sink.write("two") }
        // After a connection of a second or more the sink tries for the next one at once.
        #expect(error?.code == .unavailable || error?.code == .busy)
        close(connection)
    }

    @Test(.enabled(if: isOpenSSLInstalled, "no libssl.so.3"))
    func `a server that never ends its greeting gets five seconds`() {
        let server = NetworkServer(.stream)
        let sink = makeSink(.tls("127.0.0.1", port: server.port, checksCertificate: false))
        sink.beginConnecting()
        let connection = server.accept()
        defer { close(connection) }
        // Records with requests for a greeting, which a client that is sending one passes over.
        // Source: RFC 5246, section 7.4.1.1.
        let requests = [[UInt8]](repeating: [22, 3, 3, 0, 4, 0, 0, 0, 0], count: 7_000)
        Flood.run(over: connection, requests.flatMap(\.self)) { flood in
            let error = sink.failureOnceTried("lost")
            #expect(error == SinkError(.unavailable, systemError: ETIMEDOUT))
            #expect(!flood.isOver)
        }
    }
}
