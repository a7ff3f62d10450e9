// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import WinnowCore
import WinnowFormatters
import WinnowNetwork
import WinnowSinks

/// How long a server that could not be reached is left alone.
struct ReconnectPauseTests {
    private static let millisecond: UInt64 = 1_000_000
    private let start: UInt64 = 5_000_000_000

    @Test func `a pause is twice as long as the one before, up to ten seconds`() {
        var pause = ReconnectPause()
        var now = start
        #expect(pause.isOver(at: now))
        for milliseconds: UInt64 in [100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000] {
            let longest = milliseconds * Self.millisecond
            pause.begin(at: now)
            #expect(!pause.isOver(at: now + longest / 2 - 1), "\(milliseconds) ms")
            #expect(pause.isOver(at: now + longest), "\(milliseconds) ms")
            now += longest
        }
    }

    @Test func `clients of one server do not all come back at the same time`() {
        let early = (0..<200).count { _ in
            var pause = ReconnectPause()
            pause.begin(at: start)
            return pause.isOver(at: start + 75 * Self.millisecond)
        }
        // Each is early or late by chance: that all are the same comes once in 2^199.
        #expect(early > 0 && early < 200)
    }

    @Test func `a connection that was of use is made again at once, and the pauses begin anew`() {
        var pause = ReconnectPause()
        for _ in 0..<5 { pause.begin(at: start) }
        pause.begin(at: start, after: 1_000 * Self.millisecond)
        #expect(pause.isOver(at: start))
        pause.begin(at: start, after: 999 * Self.millisecond)
        #expect(!pause.isOver(at: start + 49 * Self.millisecond))
        #expect(pause.isOver(at: start + 100 * Self.millisecond))
    }

    /// The time since is on the side of the test: a machine that is slow makes it longer.
    @Test func `a server that ends each connection is asked more and more seldom`() throws {
        let server = NetworkServer(.stream)
        let sink = NetworkSyslogSink(
            to: .tcp("127.0.0.1", port: server.port),
            formatter: NetworkSyslogFormatter(identifier: "a", host: "h")
        )
        let begin = ContinuousClock.now
        var connections = 0
        while connections < 5 {
            _ = failure { () throws(SinkError) in try sink.write("lost") }
            var wait = pollfd(fd: server.socket, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&wait, 1, 1) == 1 else { continue }
            close(server.accept())
            connections += 1
        }
        // The halves of the four pauses between five connections.
        #expect(ContinuousClock.now - begin >= .milliseconds(50 + 100 + 200 + 400))
    }
}
