// SPDX-License-Identifier: Apache-2.0

import Winnow

/// Takes what a call costs that goes to a pipe which nobody reads, and then reads the pipe: every
/// call is a line there, or counted as lost.
struct StallMeasure {
    let job: Job

    func run() throws -> Figures {
        let (reading, writing) = try Descriptors.makePipe()
        let sink = StreamSink(descriptor: writing, formatter: TextFormatter())
        let logger = try StartedLogger.winnow(
            job.call,
            to: .sink(sink),
            delivery: .deferred(overflow: .drop)
        )
        var caller = PacedCaller(logger: logger)
        var calls = 0
        var figures = Figures()
        for (shape, size) in [(Shape.burst1000, 1_000), (.burst20, 20)] {
            let count = size == 1_000 ? 101 : (job.isQuick ? 1_000 : 5_000)
            let readings = (0..<count).map { _ in caller.spacedBurst(size) }
            calls += count * size
            figures.merge(Samples(readings).figures(shape.rawValue)) { $1 }
        }
        let stalled = Winnow.status
        let reader = LineReader(reading)
        let isFlushed = Winnow.flush(deadline: .seconds(60))
        let settled = Winnow.status
        let lines = reader.finish()
        figures["calls"] = Double(calls)
        figures["flushed"] = isFlushed ? 1 : 0
        figures.merge(account(stalled, "while stalled")) { $1 }
        figures.merge(account(settled, "at the end")) { $1 }
        figures["lines of the calls"] = Double(lines.calls)
        figures["other lines"] = Double(lines.others)
        return figures
    }

    private func account(_ status: Winnow.Status, _ when: String) -> Figures {
        guard let sink = status.sinks.first else { return [:] }
        return [
            "accepted \(when)": Double(sink.accepted),
            "delivered \(when)": Double(sink.delivered),
            "queued \(when)": Double(sink.queued),
            "lost \(when)": Double(sink.lostTotal),
        ]
    }
}
