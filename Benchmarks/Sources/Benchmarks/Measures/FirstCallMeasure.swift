// SPDX-License-Identifier: Apache-2.0

import CMeter
import Foundation

/// Takes what the first calls of a process cost that has more than one thread, and the start before them: once a
/// process.
struct FirstCallMeasure {
    let job: Job
    let file: String

    func run() throws -> Figures {
        // The kernel lets who registers for membarrier(2) wait where there are others.
        let stage = Stage(1)
        let others = Threads(1) { _ in stage.pass() }
        others.begin()
        stage.awaitAll()
        var times = [now()]
        let logger = try job.contestant.start(job.call, file: file)
        defer { logger.finish() }
        times.append(now())
        for number in 0..<3 {
            logger.log(Call.firstIndex + number, 1)
            times.append(now())
        }
        stage.open()
        _ = others.join()
        let names = ["start", "first call", "second call", "third call"]
        let spans = zip(times, times.dropFirst()).map { $1 - $0 }
        return Figures(uniqueKeysWithValues: zip(names, spans).map { ("\($0), µs", $1) })
    }

    private func now() -> Double {
        Double(DispatchTime.now().uptimeNanoseconds) / 1_000
    }
}
