// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import WinnowCore
import WinnowSinks
import WinnowTesting

/// A real rsyslogd with a socket and a file of its own.
private final class Rsyslogd {
    static let program = "/usr/sbin/rsyslogd"

    let folder = TemporaryFolder()
    private let process: pid_t

    var socketPath: String { folder.file("log") }

    init() {
        let configuration = """
            global(workDirectory="\(folder.path)")
            module(load="imuxsock" SysSock.Use="off")
            input(type="imuxsock" Socket="\(folder.file("log"))")
            template(name="line" type="string"
              string="%pri% %syslogtag% %app-name% %procid% [%msg%]\\n")
            action(type="omfile" file="\(folder.file("out"))" template="line")
            """
        File.make(folder.file("conf"), configuration)
        process = Command.start([
            Self.program, "-n", "-f", folder.file("conf"), "-i", folder.file("pid"),
        ])
    }

    /// Ends the daemon once it has written that text; returns all it wrote of ours.
    func stop(after text: String) -> [String] {
        while !File.text(folder.file("out")).contains(text) { usleep(1_000) }
        kill(process, SIGTERM)
        Command.wait(process)
        return File.text(folder.file("out")).split(separator: "\n").map(String.init)
            .filter { $0.contains("tester") }
    }
}

@Suite(
    .timeLimit(.minutes(30)),
    .enabled(if: File.exists(Rsyslogd.program), "no rsyslogd reachable: run ./Tests/run")
)
struct SyslogDaemonTests {
    @Test func `rsyslogd gets the level, the name and one record for one record`() throws {
        let daemon = Rsyslogd()
        let sink = SyslogSink(path: daemon.socketPath, formatter: PlainSyslogFormatter())
        // The socket is there when the daemon is.
        while failure({ () throws(SinkError) in try sink.write("begin") }) != nil {}
        for level in Level.allCases { try sink.write("level \(level)", level: level) }
        try sink.write("x\n<0>forged")
        try sink.write("nul \u{0} escape \u{1B}[31m")
        #expect(
            daemon.stop(after: "escape") == [
                "133 tester[10]: tester 10 [ begin]",
                "128 tester[10]: tester 10 [ level emergency]",
                "129 tester[10]: tester 10 [ level alert]",
                "130 tester[10]: tester 10 [ level critical]",
                "131 tester[10]: tester 10 [ level error]",
                "132 tester[10]: tester 10 [ level warning]",
                "133 tester[10]: tester 10 [ level notice]",
                "134 tester[10]: tester 10 [ level info]",
                "135 tester[10]: tester 10 [ level debug]",
                "133 tester[10]: tester 10 [ x#012<0>forged]",
                "133 tester[10]: tester 10 [ nul #000 escape #033[31m]",
            ]
        )
    }
}
