// SPDX-License-Identifier: Apache-2.0

import Glibc
import WinnowFormatters
import WinnowNetwork
import WinnowSinks

/// The server of openssl(1), which writes what it gets to a file.
final class TLSServer {
    static let isPossible = unsafe isOpenSSLInstalled && access("/usr/bin/openssl", X_OK) == 0

    var port: UInt16 { keptPort.port }
    let process: pid_t
    private let keptPort = NetworkServer(keepingPortAt: "127.0.0.1")
    private let output: String

    /// Starts it, in a process that has fifteen minutes.
    init(in folder: TemporaryFolder) {
        alarm(900)
        // The server ends a connection when its own input ends.
        dup2(Descriptor.pipe().reader, 0)
        let (certificate, key) = (folder.file("cert"), folder.file("key"))
        output = folder.file("output")
        Command.run([
            "/usr/bin/openssl", "req", "-x509", "-days", "2", "-subj", "/CN=server", "-newkey",
            "ec",
            "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out", certificate,
        ])
        let file = unsafe open(output, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        process = Command.start(
            [
                "/usr/bin/openssl", "s_server", "-quiet", "-accept", "127.0.0.1:\(keptPort.port)",
                "-cert",
                certificate, "-key", key,
            ],
            output: file
        )
        close(file)
    }

    func makeSink() -> NetworkSyslogSink {
        NetworkSyslogSink(
            to: .tls("127.0.0.1", port: port, checksCertificate: false),
            formatter: NetworkSyslogFormatter(identifier: "a", host: "h")
        )
    }

    /// Waits until it takes connections.
    func awaitStart() {
        makeSink().writeOnceConnected("start")
        awaitText("] start")
    }

    /// Waits until a text has come.
    func awaitText(_ text: String) {
        while !File.text(output).contains(text) { usleep(10_000) }
    }

    func stop() {
        kill(process, SIGKILL)
        Command.wait(process)
    }

    /// Sends a first message, and waits until it has come.
    ///
    /// Then the server has said all that it says, its session tickets among it: said to a connection that has
    /// ended by then, that would end it with what the kernel had taken.
    func greet(by sink: NetworkSyslogSink) {
        sink.writeOnceConnected("first")
        awaitText("] first")
    }

    /// How often a text has come by the time that the last message has, or a minute later.
    func count(of text: String) -> Int {
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
            let all = File.text(output)
            if all.hasSuffix("] last") || ContinuousClock.now > deadline {
                return all.ranges(of: text).count
            }
            usleep(10_000)
        }
    }
}
