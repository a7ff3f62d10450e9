// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import WinnowCore
import WinnowFormatters
import WinnowNetwork
import WinnowSinks

/// A connection with TLS when the process forks: the stream stays the parent's alone.
@Suite(.enabled(if: TLSServer.isPossible, "no openssl or no libssl.so.3"), .timeLimit(.minutes(30)))
struct TLSForkTests {
    @Test func `a child that ends sends nothing of what waits in the parent`() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            let server = TLSServer(in: folder)
            defer { server.stop() }
            let sink = server.makeSink()
            server.greet(by: sink)
            kill(server.process, SIGSTOP)
            // Until some of what is encrypted waits in the sink.
            let text = String(repeating: "x", count: 4_000)
            var written = 0
            while failure({ () throws(SinkError) in try sink.write(text) }) == nil { written += 1 }
            let child = fork_()
            if child == 0 {
                // The server has room again.
                kill(server.process, SIGCONT)
                for _ in 0..<500 {
                    _ = failure { () throws(SinkError) in try sink.flush() }
                    usleep(1_000)
                }
                _exit(0)
            }
            Command.wait(child)
            // A stream that is damaged is noticed behind the last record.
            kill(server.process, SIGSTOP)
            sink.writeOnceConnected("last")
            kill(server.process, SIGCONT)
            #expect(server.count(of: "] last") == 1)
            #expect(server.count(of: "] xxx") == written)
        }
    }

    @Test func `a child that opens its sinks anew ends no connection of the parent's`() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            let server = TLSServer(in: folder)
            defer { server.stop() }
            let sink = server.makeSink()
            server.greet(by: sink)
            let child = fork_()
            if child == 0 {
                try sink.reopen()
                _exit(0)
            }
            Command.wait(child)
            // The server would answer by the end of the connection.
            usleep(200_000)
            #expect(failure { () throws(SinkError) in try sink.write("last") } == nil)
            #expect(server.count(of: "] last") == 1)
        }
    }
}

/// fork(2), which Swift's overlay hides.
@_silgen_name("fork")
private func fork_() -> Int32
