// SPDX-License-Identifier: Apache-2.0

import Winnow

/// Takes what three values cost as fields, and what they cost in the message: in one process, burst by burst
/// in turn.
///
/// The two differ by less than one process does from the next, where the processors of a virtual machine
/// wander.
struct FieldsMeasure {
    let job: Job
    let file: String

    func run() throws -> Figures {
        let message = try job.contestant.start(.values, file: file)
        defer { message.finish() }
        let fields = StartedLogger(
            log: WinnowCalls.make(.fields, Log("bench")),
            drain: message.drain
        )
        var callers = (PacedCaller(logger: message), PacedCaller(logger: fields))
        callers.0.warmUp(1_000)
        callers.1.warmUp(1_000)
        let readings = (0..<(job.isQuick ? 31 : 101)).map { _ in
            (callers.0.burst(), callers.1.burst())
        }
        return [
            "in the message, ns": Samples(readings.map { $0.0 }).percentile(50),
            "as fields, ns": Samples(readings.map { $0.1 }).percentile(50),
            "beyond, ns": Samples(readings.map { $0.1 - $0.0 }).percentile(50),
        ]
    }
}
