// SPDX-License-Identifier: Apache-2.0

/// How fast a sink takes what waits for it, measured all the time, so that nobody has to wait first to learn
/// that it is too slow to be waited for.
package struct SinkPace {
    /// Since when on CLOCK_MONOTONIC it is measured, and how many records that waited were settled by
    /// then; nil where none has waited since the last time that none did.
    private var mark: (time: UInt64, settled: UInt64)?
    /// How many were settled at the last look, and since when on CLOCK_MONOTONIC it is so many.
    private var last: (time: UInt64, settled: UInt64) = (0, 0)
    /// Whether it took enough in the last period, or none has waited for so long.
    private var isFast = true
    private var isStuck = false

    /// Whether it is fast enough to be waited for.
    package var isSteady: Bool { isFast && !isStuck }

    package init() {}

    /// Looks at the sink, when one more record waits.
    ///
    /// - Parameters:
    ///   - settled: How many that waited were settled so far.
    ///   - now: The time on CLOCK_MONOTONIC.
    ///   - period: How long a sink may take for `count` records, in nanoseconds.
    ///   - count: How many it must take meanwhile.
    ///   - pause: How long it may take none, in nanoseconds.
    package mutating func look(
        settled: UInt64,
        at now: UInt64,
        period: UInt64,
        count: UInt64,
        pause: UInt64
    ) {
        guard let mark, mark.time <= now else {
            self.mark = (now, settled)
            last = (now, settled)
            return
        }
        if last.settled != settled { last = (now, settled) }
        isStuck = last.time < now && now - last.time >= pause
        let time = now - mark.time
        guard time >= period else { return }
        // Few looks are made while few records come, and the period is long then.
        isFast = Double(settled &- mark.settled) * Double(period) >= Double(count) * Double(time)
        self.mark = (now, settled)
    }
}
