// SPDX-License-Identifier: Apache-2.0

import CMeter
import CPeers
import Foundation

/// Where and of what the figures are.
struct Machine: Codable {
    var date: String
    var command: String
    var processor: String
    var processorCount: Int
    var kernel: String
    /// The one-minute load before the run: what else the machine was doing.
    var load: String
    /// The file systems of the two folders.
    var fileSystems: [String]
    /// The versions of what was measured, by their names.
    var versions: [String: String]

    /// Looks at this machine.
    init(folders: (memory: String, disk: String)) {
        date = Date().ISO8601Format()
        let arguments = CommandLine.arguments.dropFirst()
        let words = ["swift run -c release --package-path Benchmarks"]
        command = (words + (arguments.isEmpty ? [] : ["Benchmarks"]) + arguments)
            .joined(separator: " ")
        processor = Self.line(of: "/proc/cpuinfo", after: "model name") ?? "unknown"
        processorCount = ProcessInfo.processInfo.activeProcessorCount
        kernel = Self.contents(of: "/proc/sys/kernel/osrelease")
        load =
            Self.contents(of: "/proc/loadavg").split(separator: " ").first.map(String.init) ?? "?"
        fileSystems = [folders.memory, folders.disk].map(Self.fileSystem(of:))
        versions = [
            "Swift": Self.output(of: "swift", "--version") ?? "unknown",
            "glibc": String(cString: cmeter_libc_version()),
            "swift-log": "1.16.2",
        ]
        versions["spdlog"] = cpeers_spdlog_version().map { String(cString: $0) }
        versions["systemd"] = Self.output(of: "journalctl", "--version")
    }

    /// What was found, one fact a line.
    var description: String {
        let listed = versions.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        return """
            - \(date): \(command)
            - \(processorCount) x \(processor), Linux \(kernel), load \(load) before the run
            - \(listed.joined(separator: ", "))
            - files on \(fileSystems.joined(separator: " and "))
            """
    }

    /// The name of the file system that a path lies in.
    static func fileSystem(of path: String) -> String {
        String(cString: cmeter_file_system(path))
    }

    private static func contents(of path: String) -> String {
        let text = try? String(contentsOfFile: path, encoding: .utf8)
        return text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "unknown"
    }

    private static func line(of path: String, after name: String) -> String? {
        contents(of: path).split(separator: "\n").first { $0.hasPrefix(name) }?
            .split(separator: ":").last?.trimmingCharacters(in: .whitespaces)
    }

    /// The first version number that a program prints; nil where there is no such program.
    private static func output(of command: String...) -> String? {
        let child = Process()
        child.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        child.arguments = command
        let output = Pipe()
        child.standardOutput = output
        child.standardError = FileHandle.nullDevice
        guard (try? child.run()) != nil else { return nil }
        let data = output.fileHandleForReading.readDataToEndOfFile()
        child.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
            .firstMatch(of: /[0-9]+(\.[0-9]+)*/).map { String($0.output.0) }
    }
}
