// SPDX-License-Identifier: Apache-2.0

import CMeter
import Glibc

/// The time stamp counter as a stop watch.
struct TickClock {
    /// How long the counter is compared with the clock, in nanoseconds.
    private static let comparison: UInt64 = 20_000_000

    private let nanosecondsPerTick: Double
    /// What the two readings and the call of an empty body cost by themselves.
    private var overhead: Double = 0

    /// Compares the counter with the clock.
    init() {
        let start = (time: cmeter_clock(CLOCK_MONOTONIC), ticks: cmeter_ticks())
        cmeter_pause(Self.comparison)
        let end = (time: cmeter_clock(CLOCK_MONOTONIC), ticks: cmeter_ticks())
        nanosecondsPerTick = Double(end.time - start.time) / Double(end.ticks - start.ticks)
        let empty: @Sendable (Int, Int) -> Void = { _, _ in }
        overhead = Samples((0..<10_001).map { _ in nanoseconds(of: empty, 0, 0) }).percentile(50)
    }

    /// What the calls take, in nanoseconds.
    func nanoseconds(
        of calls: @Sendable (Int, Int) -> Void,
        _ first: Int,
        _ count: Int
    ) -> Double {
        let start = cmeter_ticks()
        calls(first, count)
        let end = cmeter_ticks()
        return max(0, Double(end - start) * nanosecondsPerTick - overhead)
    }
}
