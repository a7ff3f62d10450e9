// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// Records of one level that a thread's ring had no room for.
///
/// They take numbers as delivered records do, so that a report explains each hole in the numbers.
struct RingLoss {
    let level: Level
    let count: UInt64
    let numbers: ClosedRange<UInt64>
    /// Their numbers among the records of the level.
    let levelNumbers: ClosedRange<UInt64>
    /// When the first and the last of them were logged, in nanoseconds since 1970.
    let times: ClosedRange<UInt64>
}
