// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import WinnowCore
import WinnowFormatters
import WinnowSinks

/// A connection with TLS when the process forks: the stream stays the parent's alone.
@Suite(.enabled(if: TLSServer.isPossible, "no openssl or no libssl.so.3"), .timeLimit(.minutes(15)))
struct TLSForkTests {
    @Test func `a child that ends sends nothing of what waits in the parent`() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            let server = TLSServer(in: folder)
            defer { server.stop() }
            let sink = makeSink(server)
            sink.writeOnceConnected("first")
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
            let sink = makeSink(server)
            sink.writeOnceConnected("first")
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

private func makeSink(_ server: TLSServer) -> NetworkSyslogSink {
    NetworkSyslogSink(
        to: .tls("127.0.0.1", port: server.port, checksCertificate: false),
        formatter: NetworkSyslogFormatter(identifier: "a", host: "h")
    )
}

/// fork(2), which Swift's overlay hides.
@_silgen_name("fork")
private func fork_() -> Int32

/// The server of openssl(1), which writes what it gets to a file.
private final class TLSServer {
    static let isPossible = unsafe isOpenSSLInstalled && access("/usr/bin/openssl", X_OK) == 0

    let port: UInt16
    let process: pid_t
    private let output: String

    /// Starts it, in a process that has a minute.
    init(in folder: TemporaryFolder) {
        alarm(60)
        // The server ends a connection when its own input ends.
        dup2(Descriptor.pipe().reader, 0)
        let (certificate, key) = (folder.file("cert"), folder.file("key"))
        output = folder.file("output")
        Command.run([
            "/usr/bin/openssl", "req", "-x509", "-days", "2", "-subj", "/CN=server", "-newkey",
            "ec",
            "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out", certificate,
        ])
        // A port that is free.
        let other = NetworkServer(.stream)
        port = other.port
        other.stop()
        let file = unsafe open(output, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        process = Command.start(
            [
                "/usr/bin/openssl", "s_server", "-quiet", "-accept", "127.0.0.1:\(port)", "-cert",
                certificate, "-key", key,
            ],
            output: file
        )
        close(file)
    }

    func stop() {
        kill(process, SIGKILL)
        Command.wait(process)
    }

    /// How often a text has come by the time that the last message has.
    func count(of text: String) -> Int {
        let deadline = ContinuousClock.now + .seconds(10)
        while true {
            let all = File.text(output)
            if all.hasSuffix("] last") || ContinuousClock.now > deadline {
                return all.ranges(of: text).count
            }
            usleep(10_000)
        }
    }
}
