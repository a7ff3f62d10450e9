// SPDX-License-Identifier: Apache-2.0

import CMeter

/// Takes what a call costs its caller: in bursts of 1 000, in bursts of 20, and alone.
///
/// A reading is the time of a burst divided by its calls.
struct LatencyMeasure {
    let job: Job
    let file: String

    func run() throws -> Figures {
        let logger = try job.contestant.start(job.call, file: file)
        defer { logger.finish() }
        var caller = PacedCaller(logger: logger, pause: pause)
        caller.warmUp(job.contestant.isPaced ? 20 : 1_000)
        var figures = Figures()
        for shape in shapes {
            let readings = (0..<count(of: shape)).map { _ in
                shape == .burst1000 ? caller.burst() : caller.spacedBurst(shape == .single ? 1 : 20)
            }
            figures.merge(Samples(readings).figures(shape.rawValue)) { $1 }
            logger.drain()
        }
        return figures
    }

    /// A receiver of datagrams that is slower than its sender has no bursts of 1 000: its queue is
    /// full after some hundred, and the sender waits for it.
    private var shapes: [Shape] {
        job.contestant.isPaced ? [.burst20, .single] : Shape.allCases
    }

    /// The nanoseconds between bursts: at random, so that no timer keeps step with them.
    private var pause: ClosedRange<UInt64> {
        job.contestant.isPaced ? 2_000_000...3_000_000 : PacedCaller.usualPause
    }

    private func count(of shape: Shape) -> Int {
        switch (shape, job.contestant.isPaced, job.isQuick) {
        case (.burst1000, _, true): 31
        case (.burst1000, _, false): 101
        case (_, true, true): 100
        case (_, true, false): 500
        case (_, false, true): 1_000
        case (_, false, false): 3_000
        }
    }
}

/// Calls a logger in bursts and takes their times.
struct PacedCaller {
    /// The nanoseconds between bursts; those of quill's benchmarks.
    static let usualPause: ClosedRange<UInt64> = 100_000...150_000

    /// How often 1 000 calls come before the readings: enough for a ring of 256 KiB to be walked through, whose
    /// pages the kernel provides only when they are written to.
    private static let warmUpCount = 5

    let logger: StartedLogger
    let pause: ClosedRange<UInt64>
    private let clock = TickClock()
    private var next = Call.firstIndex

    init(logger: StartedLogger, pause: ClosedRange<UInt64> = usualPause) {
        self.logger = logger
        self.pause = pause
    }

    mutating func warmUp(_ count: Int) {
        for _ in 0..<Self.warmUpCount {
            _ = take(count)
            logger.drain()
        }
    }

    /// Nanoseconds a call of 1 000 at once, with an empty queue before.
    mutating func burst() -> Double {
        let reading = take(1_000)
        logger.drain()
        return reading
    }

    /// Nanoseconds a call of a few at once, after a pause.
    mutating func spacedBurst(_ count: Int) -> Double {
        // It spins, as quill's do: who sleeps gives its processor and its caches away.
        cmeter_spin(.random(in: pause))
        return take(count)
    }

    private mutating func take(_ count: Int) -> Double {
        defer { next += count }
        return clock.nanoseconds(of: logger.log, next, count) / Double(count)
    }
}
