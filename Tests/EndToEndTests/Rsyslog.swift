// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// A real rsyslogd of the test's own, which listens at a socket of its own and writes to a file.
final class Rsyslog: @unchecked Sendable {
    // SAFETY: `process` is set by the thread that starts and ends the daemon, one at a time.

    static let path = "/usr/sbin/rsyslogd"
    static let isInstalled = FileManager.default.isExecutableFile(atPath: path)
    static let reason: Comment = "no rsyslogd installed: run ./Tests/run"

    private let folder: TemporaryFolder
    private var process = Process()

    /// The path of the socket, in the place of `/dev/log`.
    var socket: String { "\(folder.path)/log" }

    /// Starts the daemon unless told otherwise, and waits until it listens.
    init(isStarted: Bool = true) throws {
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
        try configuration.write(toFile: configurationPath, atomically: true, encoding: .utf8)
        if isStarted { try start() }
    }

    deinit {
        end(by: SIGKILL)
    }

    private var configurationPath: String { "\(folder.path)/rsyslog.conf" }

    /// Starts the daemon, and waits until it listens.
    func start() throws {
        // What one that was killed has left is no sign of this one.
        try? FileManager.default.removeItem(atPath: socket)
        process = Process()
        process.executableURL = URL(fileURLWithPath: Self.path)
        process.arguments = ["-n", "-f", configurationPath, "-i", "\(folder.path)/pid"]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        let deadline = Date(timeIntervalSinceNow: 120)
        while !FileManager.default.fileExists(atPath: socket) {
            try #require(process.isRunning && Date() < deadline, "rsyslogd does not listen")
            Thread.sleep(forTimeInterval: 0.01)
        }
    }

    /// Ends the daemon by a signal, and waits for its end.
    ///
    /// The threads of a test block signals, and the daemon inherits that: to some it is deaf.
    func end(by signal: Int32) {
        guard process.isRunning else { return }
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
    }

    /// Sends the daemon a signal that it outlives.
    func signal(_ signal: Int32) {
        kill(process.processIdentifier, signal)
    }

    /// The lines that the daemon has written; not one that it is writing.
    private var written: [String] {
        let bytes = FileManager.default.contents(atPath: "\(folder.path)/messages") ?? Data()
        let end = bytes.lastIndex(of: 0x0A) ?? bytes.startIndex
        return bytes.prefix(upTo: end).split(separator: 0x0A).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// The number of lines that the daemon has written.
    var lineCount: Int { written.count }

    /// The lines that the daemon has written, once there are as many as expected.
    func lines(count: Int) -> [String] {
        var lines: [String] = []
        waitUntil("rsyslogd has written \(count) lines") {
            lines = written
            return lines.count >= count
        }
        return lines
    }

    /// The lines that the daemon has written, once the last ends as expected, and none has come
    /// since.
    func lines(upTo end: String) -> [String] {
        waitUntil("rsyslogd has written a line that ends in '\(end)'") {
            written.contains { $0.hasSuffix(end) }
        }
        var lines = written
        var last: [String]
        repeat {
            last = lines
            Thread.sleep(forTimeInterval: 1)
            lines = written
        } while lines != last
        return lines
    }
}
