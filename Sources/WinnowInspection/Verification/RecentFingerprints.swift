// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// The contents of the latest records, to compare those with that come again.
///
/// A record comes again where a sink said that it had failed and had written it all the same, or
/// where a file and a fallback hold it both: then soon, if at all.
struct RecentFingerprints: Sendable {
    struct Key: Sendable, Hashable {
        let run: NumberedRecord.Run
        let level: Level
        let number: UInt64
    }

    /// Some mebibytes, and more records than any burst of repeated ones.
    private static let capacity = 65_536

    private var known: [Key: Int] = [:]
    private var order: [Key] = []
    private var oldest = 0

    /// Returns the content of a record; nil where it is not among the latest.
    subscript(key: Key) -> Int? { known[key] }

    /// Adds the content of a record, in the place of the oldest one.
    mutating func add(_ fingerprint: Int, for key: Key) {
        if order.count < Self.capacity {
            order.append(key)
        } else {
            known[order[oldest]] = nil
            order[oldest] = key
            oldest = (oldest + 1) % Self.capacity
        }
        known[key] = fingerprint
    }
}
