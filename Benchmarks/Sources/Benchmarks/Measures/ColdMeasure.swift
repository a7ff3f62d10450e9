// SPDX-License-Identifier: Apache-2.0

/// Takes what a single call costs whose data and code have been driven out of the caches.
struct ColdMeasure {
    /// Twice what a large cache of the third level has, in bytes.
    private static let rivalByteCount = 64 << 20
    private static let cacheLineByteCount = 64

    let job: Job
    let file: String

    func run() throws -> Figures {
        let logger = try job.contestant.start(job.call, file: file)
        defer { logger.finish() }
        var caller = PacedCaller(logger: logger)
        caller.warmUp(1_000)
        var rival = [UInt8](repeating: 1, count: Self.rivalByteCount)
        let readings = (0..<(job.isQuick ? 50 : 300)).map { _ in
            for index in stride(from: 0, to: rival.count, by: Self.cacheLineByteCount) {
                rival[index] &+= 1
            }
            return caller.spacedBurst(1)
        }
        return Samples(readings).figures("cold")
    }
}
