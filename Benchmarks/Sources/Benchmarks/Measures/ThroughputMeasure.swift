// SPDX-License-Identifier: Apache-2.0

import CMeter
import Foundation

/// Takes the time from the first call to the last line in the file, and counts the lines.
struct ThroughputMeasure {
    let job: Job
    let file: String

    func run() throws -> Figures {
        let logger = try job.contestant.start(job.call, file: file)
        logger.log(Call.firstIndex, warmUpCount)
        logger.drain()
        let share = (job.isQuick ? 200_000 : 1_000_000) / job.threads
        let threads = Threads(job.threads) { _ in logger.log(Call.firstIndex, share) }
        let start = Reading()
        threads.begin()
        let callers = threads.join()
        let called = Reading()
        let lost = logger.lost()
        logger.finish()
        let end = Reading()
        let count = share * job.threads
        let lines = try LineCount.of(file)
        let millions = Double(count) / 1e6
        let isDeferred = job.contestant == .winnowDeferred || job.contestant == .spdlogAsync
        var figures: Figures = [
            "messages a second": Double(count) / (end.time - start.time),
            "calls a second": Double(count) / (called.time - start.time),
            "missing lines": Double(count + warmUpCount - lines.count),
            "bytes a line": Double(lines.byteCount) / Double(max(1, lines.count)),
            "lost": Double(max(lost, logger.lost())),
            "callers' processor s per million": callers / millions,
        ]
        if isDeferred {
            let worker = end.processor - start.processor - callers
            figures["worker's processor s per million"] = worker / millions
        }
        return figures
    }

    private var warmUpCount: Int { 1_000 }

    /// The time, and the processor time of all threads but this one, in seconds.
    private struct Reading {
        let time = Double(cmeter_clock(CLOCK_MONOTONIC)) / 1e9
        let processor =
            Double(cmeter_clock(CLOCK_PROCESS_CPUTIME_ID))
            / 1e9 - Double(cmeter_clock(CLOCK_THREAD_CPUTIME_ID)) / 1e9
    }
}

/// The lines of files.
enum LineCount {
    static func of(_ path: String) throws -> (count: Int, byteCount: Int) {
        let data = try Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)
        let count = data.withUnsafeBytes { bytes in
            bytes.reduce(into: 0) { $0 += $1 == UInt8(ascii: "\n") ? 1 : 0 }
        }
        return (count, data.count)
    }
}
