// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import WinnowCore
import WinnowFormatters
import WinnowNetwork
import WinnowSinks

/// The files of TLS, where to read them takes for ever: a FIFO that nobody writes stands for a file
/// system that is away.
@Suite(.enabled(if: isOpenSSLInstalled, "no libssl.so.3"), .timeLimit(.minutes(30)))
struct TLSIdentityTests {
    @Test func `a file that is none to be read at once is not waited for`() async {
        await #expect(processExitsWith: .success) {
            alarm(600)
            let folder = TemporaryFolder()
            let fifo = "\(folder.path)/fifo"
            unsafe mkfifo(fifo, 0o600)
            for path in [fifo, folder.path, "/dev/zero", "\(folder.path)/none"] {
                let server = NetworkServer(.stream)
                let servers: [SyslogServer] = [
                    .tls("127.0.0.1", port: server.port, authorities: path),
                    .tls("127.0.0.1", port: server.port, certificate: path, key: path),
                ]
                for server in servers {
                    let error = makeSink(server).failureOnceTried("lost")
                    #expect(error == SinkError(.unavailable, systemError: ENOKEY))
                }
            }
        }
    }

    @Test func `a file that is too long or no certificate is told`() {
        let folder = TemporaryFolder()
        let server = NetworkServer(.stream)
        let path = "\(folder.path)/ca.pem"
        for count in [0, 100, 1 << 40] {
            let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
            #expect(ftruncate(descriptor, count) == 0)
            close(descriptor)
            let sink = makeSink(.tls("127.0.0.1", port: server.port, authorities: path))
            let error = sink.failureOnceTried("lost")
            #expect(error == SinkError(.unavailable, systemError: ENOKEY))
        }
    }

    @Test(.enabled(if: TLSServer.isPossible, "no openssl"))
    func `files named from a folder are found when the program has gone to another`() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            let server = TLSServer(in: folder)
            defer { server.stop() }
            #expect(unsafe chdir(folder.path) == 0)
            let sink = makeSink(
                .tls(
                    "127.0.0.1",
                    port: server.port,
                    authorities: "cert",
                    certificate: "cert",
                    key: "./key",
                    checksCertificate: false
                )
            )
            #expect(unsafe chdir("/") == 0)
            server.awaitStart()
            #expect(sink.failureOnceTried("last") == nil)
            #expect(server.count(of: "] last") == 1)
        }
    }

    @Test func `a fork does not wait for a connection that does not get on`() async {
        await #expect(processExitsWith: .success) {
            alarm(600)
            let folder = TemporaryFolder()
            let fifo = "\(folder.path)/fifo"
            unsafe mkfifo(fifo, 0o600)
            // OpenSSL itself reads the certificates of the system.
            unsafe setenv("SSL_CERT_FILE", fifo, 1)
            let server = NetworkServer(.stream)
            let sink = makeSink(.tls("127.0.0.1", port: server.port))
            sink.beginConnecting()
            var writer: Int32 = -1
            while writer < 0 {
                // It has a reader from now on, which waits for its end.
                writer = unsafe open(fifo, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
                usleep(1_000)
            }
            let child = fork_()
            if child == 0 {
                // What was at work in the parent is in no state for the child.
                let error = makeSink(.tls("127.0.0.1", port: server.port)).failureOnceTried("lost")
                _exit(error == SinkError(.unavailable, systemError: EOWNERDEAD) ? 7 : 1)
            }
            var status: Int32 = 0
            #expect(unsafe waitpid(child, &status, 0) == child)
            #expect(status == 7 << 8)
            // From glibc 2.41 on, exit(3) waits for whoever reads a stream of stdio, as OpenSSL does here.
            close(writer)
        }
    }
}

/// fork(2), which Swift's overlay hides.
@_silgen_name("fork")
private func fork_() -> Int32

private func makeSink(_ server: SyslogServer) -> NetworkSyslogSink {
    NetworkSyslogSink(to: server, formatter: NetworkSyslogFormatter(identifier: "a", host: "h"))
}
