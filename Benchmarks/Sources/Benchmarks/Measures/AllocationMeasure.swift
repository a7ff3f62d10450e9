// SPDX-License-Identifier: Apache-2.0

import CMeter

/// Counts the calls of malloc(3) and its like on the thread that logs.
struct AllocationMeasure {
    let job: Job
    let file: String

    func run() throws -> Figures {
        let logger = try job.contestant.start(job.call, file: file)
        defer { logger.finish() }
        // What the first calls of a thread set up is not what a call costs.
        logger.log(Call.firstIndex, 1_000)
        logger.drain()
        let before = cmeter_allocations()
        logger.log(Call.firstIndex, 1_000)
        let count = cmeter_allocations() - before
        logger.drain()
        return ["allocations a call": Double(count) / 1_000]
    }
}
