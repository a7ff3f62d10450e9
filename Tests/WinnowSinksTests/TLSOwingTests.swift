// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support
import Testing
import WinnowCore
import WinnowNetwork
import WinnowSinks
import WinnowTesting

/// What is encrypted, and what the kernel has not taken.
@Suite(.enabled(if: TLSServer.isPossible, "no openssl or no libssl.so.3"), .timeLimit(.minutes(30)))
struct TLSOwingTests {
    @Test(arguments: [50, 5_000])
    func `what a server that stands still has not got is given up, and nothing else`(
        byteCount: Int
    ) async {
        await #expect(processExitsWith: .success) { [byteCount] in
            let folder = TemporaryFolder()
            let server = TLSServer(in: folder)
            defer { server.stop() }
            var sink: NetworkSyslogSink? = server.makeSink()
            if let sink { server.greet(by: sink) }
            kill(server.process, SIGSTOP)
            let written = sink?.fill(byteCount) ?? 0
            let owed = sink?.takeOwed() ?? []
            // As at the end of the process.
            sink = nil
            kill(server.process, SIGCONT)
            server.makeSink().writeOnceConnected("last")
            #expect(server.count(of: "] last") == 1)
            #expect(server.count(of: "x.") == written - owed.count)
        }
    }

    @Test(arguments: [50, 5_000])
    func `it goes to the next connection where one is made`(byteCount: Int) async {
        await #expect(processExitsWith: .success) { [byteCount] in
            let folder = TemporaryFolder()
            let server = TLSServer(in: folder)
            defer { server.stop() }
            let sink = server.makeSink()
            server.greet(by: sink)
            kill(server.process, SIGSTOP)
            let written = sink.fill(byteCount)
            try sink.reopen()
            kill(server.process, SIGCONT)
            sink.writeOnceConnected("last")
            #expect(server.count(of: "] last") == 1)
            #expect(server.count(of: "x.") == written)
            #expect(server.count(of: "sequenceId=\"\(written + 2)\"") == 1)
        }
    }

    @Test func `what is encrypted is sent once by a sink that is closed`() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            let server = TLSServer(in: folder)
            defer { server.stop() }
            let sink = server.makeSink()
            server.greet(by: sink)
            kill(server.process, SIGSTOP)
            let written = sink.fill(300)
            kill(server.process, SIGCONT)
            // Until the socket has room again, which the sink learns from the closing.
            server.awaitText("x.")
            usleep(100_000)
            sink.close()
            sink.writeOnceConnected("last")
            #expect(server.count(of: "] last") == 1)
            #expect(server.count(of: "x.") == written)
        }
    }

    @Test func `a server that reads on while the sink is reopened gets each record once`() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            let server = TLSServer(in: folder)
            defer { server.stop() }
            let sink = server.makeSink()
            server.greet(by: sink)
            var written = 0
            for round in 0..<20 {
                kill(server.process, SIGSTOP)
                written += sink.fill(50)
                let process = server.process
                let pause = useconds_t.random(in: 15_000...25_000)
                let thread = StartedThread {
                    usleep(pause)
                    kill(process, SIGCONT)
                }
                try sink.reopen()
                thread.join()
                sink.writeOnceConnected("round \(round);")
                server.awaitText("] round \(round);")
            }
            sink.writeOnceConnected("last")
            #expect(server.count(of: "] last") == 1)
            #expect(server.count(of: "x.") == written)
        }
    }

    @Test func `a slow server gets each record once`() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            let server = TLSServer(in: folder)
            defer { server.stop() }
            let sink = server.makeSink()
            server.greet(by: sink)
            var written = 0
            for _ in 0..<5 {
                kill(server.process, SIGSTOP)
                written += sink.fill(300)
                kill(server.process, SIGCONT)
            }
            sink.writeOnceConnected("last")
            #expect(server.count(of: "] last") == 1)
            #expect(server.count(of: "x.") == written)
            #expect(server.count(of: "sequenceId=\"\(written + 2)\"") == 1)
        }
    }
}

extension NetworkSyslogSink {
    /// Sends batches until the sink takes no more; returns how many records it has taken.
    fileprivate func fill(_ byteCount: Int) -> Int {
        let text = String(repeating: "x", count: byteCount) + "."
        var written = 0
        while true {
            for _ in 0..<100 {
                _ = withRecord(LogMessage(verbatim: text)) { hold($0) }
            }
            let (delivered, error) = commit()
            written += delivered
            if error != nil { return written }
        }
    }
}
