// SPDX-License-Identifier: Apache-2.0

import CMeter
import Foundation

/// Takes what each thread that logs holds of memory, and what threads leave that have ended.
struct MemoryMeasure {
    /// Enough that every byte of a queue of 256 KiB has been used.
    private static let manyCount = 10_000

    let job: Job
    let file: String

    func run() throws -> Figures {
        let logger = try job.contestant.start(job.call, file: file)
        defer { logger.finish() }
        logger.log(Call.firstIndex, Self.manyCount)
        settle(logger)
        var figures = measureStages(of: logger)
        settle(logger)
        let before = try Self.residentByteCount()
        let short = job.isQuick ? 100 : 1_000
        for _ in 0..<short {
            let thread = Threads(1) { _ in logger.log(Call.firstIndex, 10) }
            thread.begin()
            _ = thread.join()
        }
        settle(logger)
        figures["KiB left by \(short) short threads"] =
            try Self.residentByteCount() / 1_024 - before / 1_024
        // Records that found no room made no memory grow.
        figures["lost records"] = Double(logger.lost())
        return figures
    }

    /// Resident memory for each thread after one record and after many, beyond what the thread
    /// itself has, and after the threads' end beyond what there was before them.
    private func measureStages(of logger: StartedLogger) -> Figures {
        let count = job.threads
        let start = (try? Self.residentByteCount()) ?? .nan
        let stages = (0..<3).map { _ in Stage(count) }
        let threads = Threads(count) { _ in
            // The stack that a call needs belongs to the thread, not to the logger.
            withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 16) { stack in
                _ = stack.initializeMemory(as: UInt8.self, repeating: 1)
            }
            stages[0].pass()
            logger.log(Call.firstIndex, 1)
            stages[1].pass()
            logger.log(Call.firstIndex, Self.manyCount)
            stages[2].pass()
        }
        threads.begin()
        let readings = stages.map { stage in
            stage.awaitAll()
            settle(logger)
            defer { stage.open() }
            return (try? Self.residentByteCount()) ?? .nan
        }
        _ = threads.join()
        settle(logger)
        let end = (try? Self.residentByteCount()) ?? .nan
        func perThread(_ value: Double, beyond other: Double) -> Double {
            (value - other) / Double(count) / 1_024
        }
        return [
            "KiB a thread after one record": perThread(readings[1], beyond: readings[0]),
            "KiB a thread after 10000 records": perThread(readings[2], beyond: readings[0]),
            "KiB a thread after its end": perThread(end, beyond: start),
        ]
    }

    /// Waits until the queues are empty, and a worker has given back what has ended.
    private func settle(_ logger: StartedLogger) {
        logger.drain()
        cmeter_pause(50_000_000)
    }

    private static func residentByteCount() throws -> Double {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? .nan
        return pages * Double(sysconf(Int32(_SC_PAGESIZE)))
    }
}

/// A point that threads reach and wait at until it is opened.
final class Stage: Sendable {
    private let reached = DispatchSemaphore(value: 0)
    private let opened = DispatchSemaphore(value: 0)
    private let count: Int

    init(_ count: Int) {
        self.count = count
    }

    func pass() {
        reached.signal()
        opened.wait()
    }

    func awaitAll() {
        for _ in 0..<count { reached.wait() }
    }

    func open() {
        for _ in 0..<count { opened.signal() }
    }
}
