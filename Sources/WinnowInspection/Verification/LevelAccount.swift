// SPDX-License-Identifier: Apache-2.0

/// What a log holds of one run and one level.
struct LevelAccount: Sendable {
    private(set) var numbers = NumberRanges()
    /// The numbers that came again with the same content, and those that came too late to compare.
    var repeated: UInt64 = 0
    var uncompared: UInt64 = 0
    /// The numbers that came again with another content.
    private(set) var contradicted = NumberRanges()

    /// Adds the number of a record; returns whether it was not there yet.
    mutating func insert(_ number: UInt64) -> Bool { numbers.insert(number) }

    mutating func contradict(_ number: UInt64) { _ = contradicted.insert(number) }
}
