// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Programs whose logs go through many files, and what `winnow verify` says of all of them together.
struct RotationTests {
    private let folder: TemporaryFolder
    private var file: String { "\(folder.path)/app.log" }

    init() throws {
        folder = try TemporaryFolder()
    }

    private func environment(_ options: String, delivery: String) -> [String: String] {
        [
            "WINNOW_SINKS": "file:\(file)?\(options)", "WINNOW_FORMAT": "json",
            "WINNOW_DELIVERY": delivery, "WINNOW_OVERFLOW": "block=10s",
        ]
    }

    /// The log's files, the oldest first.
    private func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasPrefix("app.log.") }
            .sorted { number(of: $0) > number(of: $1) } + ["app.log"]
    }

    private func number(of name: String) -> Int {
        Int(name.split(separator: ".").dropFirst(2).first ?? "") ?? 0
    }

    /// Reads all files, compressed or not, as one log.
    private func verify() throws -> Program.Outcome {
        let paths = try files().map { "\(folder.path)/\($0)" }
        return try Program.run(["verify", "--complete"] + paths, executable: VerifyTests.tool)
    }

    @Test(arguments: ["immediate", "deferred"], ["rotate=40K", "rotate=40K&compress=gzip"])
    func `no record is lost between the files of eight threads`(
        delivery: String,
        options: String
    ) throws {
        let outcome = try Program.run(
            ["threads=8,500", "flush=60"],
            environment: environment(options, delivery: delivery)
        )
        #expect(outcome.status == 0)
        #expect(outcome.account("file:\(file)", "delivered") == 4_000)
        let files = try files()
        #expect(files.count > 10)
        // A thread that compresses may have the lock of the folder for longer than a call waits for it.
        for name in files where !options.contains("gzip") {
            let attributes = try FileManager.default.attributesOfItem(
                atPath: "\(folder.path)/\(name)"
            )
            #expect(attributes[.size] as? Int ?? .max <= 40 * 1_024)
        }
        let verdict = try verify()
        #expect(verdict.status == 0, "\(verdict.stdout)")
        #expect(verdict.stdout.contains("\n1 run, 4000 records: nothing was lost in silence "))
    }

    @Test(arguments: ["immediate", "deferred"])
    func `several processes rotate one log, and lose nothing`(delivery: String) async throws {
        try await withThrowingTaskGroup(of: Int32.self) { group in
            for _ in 0..<4 {
                let environment = environment("rotate=30K&compress=gzip", delivery: delivery)
                group.addTask {
                    // A process waits for the others in the kernel, so the thread is not the pool's.
                    try await withCheckedThrowingContinuation { continuation in
                        Thread.detachNewThread {
                            continuation.resume(
                                with: Result {
                                    try Program.run(
                                        ["threads=2,500", "flush=60"],
                                        environment: environment
                                    ).status
                                }
                            )
                        }
                    }
                }
            }
            for try await status in group { #expect(status == 0) }
        }
        let verdict = try verify()
        #expect(verdict.status == 0, "\(verdict.stdout)")
        #expect(verdict.stdout.contains("\n4 runs, 4000 records: nothing was lost in silence "))
    }

    @Test
    func `each start has its own file where that is wanted`() throws {
        for number in 0..<3 {
            _ = try Program.run(
                ["say=run \(number)"],
                environment: environment("rotate=start&keep=1", delivery: "immediate")
            )
        }
        #expect(try folder.lines(of: "app.log").map { $0.contains("run 2") } == [true])
        #expect(try folder.lines(of: "app.log.1").map { $0.contains("run 1") } == [true])
    }

    @Test(arguments: ["immediate", "deferred"])
    func `what stands in the way of a rotation is said in the log`(delivery: String) throws {
        try FileManager.default.createDirectory(
            atPath: "\(file).1",
            withIntermediateDirectories: false
        )
        _ = try Program.run(
            ["burst=100", "flush=60"],
            environment: environment("rotate=1K", delivery: delivery)
        )
        let lines = try folder.lines(of: "app.log")
        #expect(lines.count == 101)
        let reports = lines.filter { $0.contains("cannot be rotated, and grows on: File exists") }
        #expect(reports.count == 1)
        #expect(reports.first?.contains(#""level":"warning""#) == true)
    }

    @Test
    func `a rotation without meaning is refused by its words`() throws {
        let outcome = try Program.run(
            ["say=on stderr"],
            environment: environment("rotate=5X&keep=-1", delivery: "immediate")
        )
        #expect(outcome.stderr.contains("invalid value '5X' of option 'rotate'") == false)
        let lines = try folder.lines(of: "app.log")
        #expect(lines.contains { $0.contains("invalid value '5X' of option 'rotate' (") })
        #expect(lines.contains { $0.contains("invalid value '-1' of option 'keep' (") })
        #expect(lines.contains { $0.contains("on stderr") })
    }
}
