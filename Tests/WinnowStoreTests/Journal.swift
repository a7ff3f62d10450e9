// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The real journal: written to as Winnow does, and by hand; read with the real journalctl.
enum Journal {
    /// Whether `Tests/run` has brought a journald within reach.
    static let isReachable = ProcessInfo.processInfo.environment["WINNOW_TEST_JOURNAL"] == "1"
    /// What a test without a journal says.
    static let reason: Comment = "no journald in reach: run ./Tests/run"

    /// The folder with the files of the journal that journald writes to.
    static var folder: String {
        let machine = File.text("/etc/machine-id").trimmingCharacters(in: .whitespacesAndNewlines)
        let folders = ["/run/log/journal/\(machine)", "/var/log/journal/\(machine)"]
        return folders.first { File.exists("\($0)/system.journal") } ?? folders[0]
    }

    /// An identifier that no other test has.
    static func uniqueIdentifier() -> String {
        "winnow-store-\(UUID().uuidString.prefix(8).lowercased())"
    }

    /// What journalctl gives for its arguments: the cursor of each entry.
    static func cursors(_ arguments: [String]) throws -> [String] {
        let all = ["--no-pager", "--quiet", "-o", "json", "--output-fields=PRIORITY"] + arguments
        return try Command.run("/usr/bin/journalctl", all).split(separator: "\n").map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return try #require((object as? [String: Any])?["__CURSOR"] as? String)
        }
    }

    /// Waits until the journal has so many entries of an identifier: journald takes its time, and
    /// two minutes at most.
    @discardableResult
    static func await(_ identifier: String, count: Int) throws -> [String] {
        let deadline = Date(timeIntervalSinceNow: 120)
        while true {
            let cursors = try cursors(["-t", identifier])
            if cursors.count >= count { return cursors }
            if Date() > deadline {
                Issue.record("the journal has \(cursors.count) of \(count) entries after 120 s")
                return cursors
            }
            Thread.sleep(forTimeInterval: 0.02)
        }
    }

    /// Copies the files of the journal that hold the entries of an identifier into an empty folder.
    ///
    /// journald may put a file aside meanwhile: at the word of another test, or as the file is full.
    static func copyFiles(with identifier: String, to folder: String) throws {
        let deadline = Date(timeIntervalSinceNow: 120)
        let total = try cursors(["-t", identifier]).count
        while true {
            var count = 0
            var failure: (any Error)?
            for name in filesNewestFirst where count < total {
                let copy = "\(folder)/\(name)"
                do {
                    // Not by `copyItem`, which never returns if a file is made shorter meanwhile, as journald does
                    // with one that it puts aside.
                    let content = try Data(contentsOf: URL(filePath: "\(self.folder)/\(name)"))
                    try content.write(to: URL(filePath: copy))
                } catch {
                    failure = error
                    continue
                }
                let found = try entryCount(of: identifier, in: copy)
                if found == 0 { try FileManager.default.removeItem(atPath: copy) }
                count += found
            }
            if count == total { return }
            if Date() > deadline {
                let reason = failure.map { ": \($0)" } ?? ""
                Issue.record("after 120 s \(count) of \(total) entries are in copies\(reason)")
                return
            }
            for name in File.names(in: folder) {
                try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
            }
            Thread.sleep(forTimeInterval: 0.02)
        }
    }

    /// The names of the journal's files: of those that are written to, then of those that were put
    /// aside, which end with the time of their first entry.
    private static var filesNewestFirst: [String] {
        let all = File.names(in: folder).filter { $0.hasSuffix(".journal") }
        let old = all.filter { $0.contains("@") }.sorted { $0.suffix(24) > $1.suffix(24) }
        return all.filter { !$0.contains("@") } + old
    }

    /// The number of an identifier's entries in a file; 0 where that cannot be read, as one that was
    /// copied when journald had just begun it.
    private static func entryCount(of identifier: String, in file: String) throws -> Int {
        let arguments = [
            "--no-pager", "--quiet", "-o", "json", "--output-fields=PRIORITY", "--file", file, "-t",
            identifier,
        ]
        let (status, output) = try Command.start("/usr/bin/journalctl", arguments, [:])
        return status == 0 ? output.split(separator: "\n").count : 0
    }

    /// Has the program of the tests log to the journal, and waits until it is there.
    @discardableResult
    static func log(_ tasks: [String], as identifier: String, count: Int) throws -> [String] {
        let environment = [
            "WINNOW_SINKS": "journald?size=8M", "WINNOW_IDENTIFIER": identifier,
            "WINNOW_LOG": "debug",
        ]
        try Command.run(Command.logProgram, tasks + ["flush=60"], environment)
        return try Journal.await(identifier, count: count)
    }

    /// Sends one entry as it is, in the length-encoded form of the native protocol.
    static func send(_ fields: [(String, [UInt8])]) {
        var datagram: [UInt8] = []
        for (name, value) in fields {
            datagram += Array(name.utf8) + [UInt8(ascii: "\n")]
            datagram += (0..<8).map { UInt8(truncatingIfNeeded: value.count &>> ($0 * 8)) }
            datagram += value + [UInt8(ascii: "\n")]
        }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { path in
            unsafe path.copyBytes(from: "/run/systemd/journal/socket".utf8)
        }
        let sent = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                let size = socklen_t(MemoryLayout<sockaddr_un>.size)
                return unsafe sendto(descriptor, datagram, datagram.count, 0, address, size)
            }
        }
        #expect(sent == datagram.count)
    }

    /// Sends one entry with a message.
    static func send(_ message: String, as identifier: String) {
        send([
            ("MESSAGE", Array(message.utf8)), ("PRIORITY", Array("6".utf8)),
            ("SYSLOG_IDENTIFIER", Array(identifier.utf8)),
        ])
    }

    /// Has journald put its files aside and begin new ones; true if it said that it did.
    static func rotate() throws -> Bool {
        try Command.status("/usr/bin/journalctl", ["--rotate"]) == 0
    }
}

/// Other programs.
enum Command {
    /// The program that logs what its arguments say, which lies beside the tests'.
    static let logProgram = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("LogProgram").path

    /// Runs a program, which must succeed; returns what it wrote.
    @discardableResult
    static func run(
        _ executable: String,
        _ arguments: [String],
        _ environment: [String: String] = [:]
    ) throws -> String {
        let (status, output) = try start(executable, arguments, environment)
        #expect(status == 0)
        return output
    }

    /// Runs a program; returns its status.
    static func status(_ executable: String, _ arguments: [String]) throws -> Int32 {
        try start(executable, arguments, [:]).status
    }

    fileprivate static func start(
        _ executable: String,
        _ arguments: [String],
        _ environment: [String: String]
    ) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        process.environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"].merging(environment) { $1 }
        let output = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: text, as: UTF8.self))
    }
}

enum File {
    static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    /// The text of a file, also of one in /proc, whose size is said to be 0.
    static func text(_ path: String) -> String {
        let bytes = try? FileHandle(forReadingAtPath: path)?.readToEnd()
        return String(decoding: bytes ?? Data(), as: UTF8.self)
    }

    static func names(in path: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    }
}

/// A folder of a test's own, removed with the last reference.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("winnow-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}
