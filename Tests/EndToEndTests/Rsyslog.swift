// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// A real rsyslogd of the test's own, which listens at a socket of its own and writes to a file.
final class Rsyslog {
    static let path = "/usr/sbin/rsyslogd"
    static let isInstalled = FileManager.default.isExecutableFile(atPath: path)
    static let reason: Comment = "no rsyslogd installed: run ./Tests/run"

    private let folder: TemporaryFolder
    private let process = Process()

    /// The path of the socket, in the place of `/dev/log`.
    var socket: String { "\(folder.path)/log" }

    /// Starts the daemon and waits until it listens.
    init() throws {
        folder = try TemporaryFolder()
        let configuration = """
            global(workDirectory="\(folder.path)" maxMessageSize="64k")
            module(load="imuxsock" SysSock.Use="off")
            input(type="imuxsock" Socket="\(folder.path)/log" CreatePath="on"
                  RateLimit.Interval="0")
            template(name="line" type="string"
                     string="%pri% %syslogtag% %app-name% %procid%%msg%\\n")
            action(type="omfile" file="\(folder.path)/messages" template="line")
            """
        let file = "\(folder.path)/rsyslog.conf"
        try configuration.write(toFile: file, atomically: true, encoding: .utf8)
        process.executableURL = URL(fileURLWithPath: Self.path)
        process.arguments = ["-n", "-f", file, "-i", "\(folder.path)/pid"]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        let deadline = Date(timeIntervalSinceNow: 30)
        while !FileManager.default.fileExists(atPath: socket) {
            try #require(process.isRunning && Date() < deadline, "rsyslogd does not listen")
            Thread.sleep(forTimeInterval: 0.01)
        }
    }

    deinit {
        // The threads of a test block signals, the daemon has inherited that: no other would do.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// The lines that the daemon has written, once there are as many as expected.
    func lines(count: Int) throws -> [String] {
        let deadline = Date(timeIntervalSinceNow: 60)
        while true {
            let lines = (try? folder.lines(of: "messages")) ?? []
            if lines.count >= count || Date() > deadline { return lines }
            Thread.sleep(forTimeInterval: 0.05)
        }
    }
}
