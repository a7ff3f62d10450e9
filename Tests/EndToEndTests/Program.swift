// SPDX-License-Identifier: Apache-2.0

import Foundation
import Support
import Synchronization
import Testing

/// A run of the program that logs what its arguments say.
struct Program {
    /// What a run has left.
    struct Outcome {
        let status: Int32
        /// The bytes of standard output.
        let output: Data
        let stderr: String

        var stdout: String { String(decoding: output, as: UTF8.self) }

        /// The lines of standard error.
        var log: [String] { stderr.split(separator: "\n").map(String.init) }

        /// Those lines, but for the word of a sink that took nothing for seconds, and of its end:
        /// whoever reads it may have had no processor.
        var complaints: [String] {
            log.filter {
                !$0.contains(" has taken no records for ")
                    && !$0.contains(" takes records again, for ")
            }
        }

        /// The number behind a word in the account of a sink.
        func account(_ sink: String, _ word: String) -> Int? {
            let line = stdout.split(separator: "\n").first { $0.hasPrefix("status sink \(sink) ") }
            let words = line?.split(separator: " ") ?? []
            guard let index = words.firstIndex(of: Substring(word)) else { return nil }
            return Int(words[index + 1])
        }
    }

    /// The program's file, which lies beside the tests'.
    static let path = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("LogProgram").path

    /// Runs the program, or another one, and waits for its end; one that does not end is killed, which
    /// is an issue.
    ///
    /// The environment holds what is given and the path, nothing else.
    static func run(
        _ arguments: [String],
        environment: [String: String] = [:],
        executable: String = path,
        stderr: FileHandle? = nil,
        stdin: FileHandle = .nullDevice
    ) throws -> Outcome {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        process.environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"].merging(environment) { $1 }
        let output = Pipe()
        let errors = Pipe()
        process.standardInput = stdin
        process.standardOutput = output
        process.standardError = stderr ?? errors
        try process.run()
        let reader = Reader(errors.fileHandleForReading)
        if stderr != nil { try? errors.fileHandleForWriting.close() }
        let limit = TimeLimit(for: process)
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        if limit.ends() {
            Issue.record("\(executable) \(arguments) did not end within five minutes: killed")
        }
        return Outcome(
            status: process.terminationStatus,
            output: text,
            stderr: reader.text
        )
    }

    /// Reads a pipe to its end on a thread of its own, so that neither pipe fills up.
    private final class Reader: @unchecked Sendable {
        // SAFETY: `data` is written before the semaphore is signalled and read after.
        private var data = Data()
        private let done = DispatchSemaphore(value: 0)

        init(_ handle: FileHandle) {
            Thread.detachNewThread { [self] in
                data = handle.readDataToEndOfFile()
                done.signal()
            }
        }

        var text: String {
            done.wait()
            defer { done.signal() }
            return String(decoding: data, as: UTF8.self)
        }
    }
    /// Kills a process, and those of its group that hold its pipes, unless it ends in time: else the
    /// thread that waits for it holds up all other tests.
    private final class TimeLimit: Sendable {
        private let processEnded = DispatchSemaphore(value: 0)
        private let isOver = DispatchSemaphore(value: 0)
        private let wasKilled = Atomic(false)

        init(for process: Process) {
            // Foundation makes each process the leader of a group.
            let group = process.processIdentifier
            Thread.detachNewThread { [self] in
                let time = DispatchTime.now() + .nanoseconds(Int(patience))
                if processEnded.wait(timeout: time) == .timedOut {
                    wasKilled.store(true, ordering: .relaxed)
                    kill(-group, SIGKILL)
                }
                isOver.signal()
            }
        }

        /// Ends the limit; returns whether the process was killed.
        func ends() -> Bool {
            processEnded.signal()
            isOver.wait()
            return wasKilled.load(ordering: .relaxed)
        }
    }
}
