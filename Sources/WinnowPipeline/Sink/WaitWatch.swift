// SPDX-License-Identifier: Apache-2.0

/// Detects a sink that does not return, and so never reports an error: none of the records that wait for
/// it is settled.
package struct WaitWatch {
    /// How many records were settled, and since when on CLOCK_MONOTONIC none was while others wait; nil
    /// before the first look.
    private var mark: (settled: UInt64, since: UInt64)?

    package init() {}

    /// Looks at the sink when one more record waits.
    ///
    /// - Parameters:
    ///   - isFirst: Whether no other waits.
    ///   - settled: How many that waited were settled so far.
    ///   - now: The time on CLOCK_MONOTONIC.
    /// - Returns: Since when it stands still, where that is long enough to be told; else nil.
    package mutating func look(isFirst: Bool, settled: UInt64, at now: UInt64) -> UInt64? {
        guard !isFirst, let mark, mark.settled == settled, mark.since <= now else {
            mark = (settled, now)
            return nil
        }
        return now - mark.since >= Bounds.News.busy ? mark.since : nil
    }
}
