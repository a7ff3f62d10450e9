// SPDX-License-Identifier: Apache-2.0

import CMeter
import Synchronization

/// Takes what bursts of 20 cost in the first lap through a ring: on threads that follow each other, each of which
/// has a new one.
struct FirstLapMeasure {
    /// The bursts of a thread: as many as a ring of 256 KiB has room for, with records of at most 128 bytes.
    private static let burstCount = 100

    let job: Job
    let file: String

    func run() throws -> Figures {
        let logger = try job.contestant.start(job.call, file: file)
        defer { logger.finish() }
        let caller = PacedCaller(logger: logger)
        var readings: [Double] = []
        var faults: [Double] = []
        for _ in 0..<(job.isQuick ? 10 : 30) {
            let lap = Self.lap(of: caller)
            readings += lap.readings
            faults.append(lap.faults)
        }
        var figures = Samples(readings).figures("first lap")
        figures["page faults a thread"] = Samples(faults).percentile(50)
        return figures
    }

    /// The readings of one thread behind its first call, and its page faults meanwhile.
    private static func lap(of caller: PacedCaller) -> (readings: [Double], faults: Double) {
        let result = Mutex<(readings: [Double], faults: Double)>(([], 0))
        let thread = Threads(1) { _ in
            var caller = caller
            var readings = [Double](repeating: 0, count: burstCount)
            caller.logger.log(Call.firstIndex, 1)
            caller.logger.drain()
            _ = caller.spacedBurst(1)
            let start = cmeter_page_faults()
            for index in readings.indices { readings[index] = caller.spacedBurst(20) }
            let faults = Double(cmeter_page_faults() - start)
            result.withLock { [readings] in $0 = (readings, faults) }
        }
        thread.begin()
        _ = thread.join()
        return result.withLock { $0 }
    }
}
