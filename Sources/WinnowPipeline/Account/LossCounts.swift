// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// How many records of a route are lost, by cause and level.
struct LossCounts {
    private(set) var byCause: [LossCause: LevelCounts] = [:]
    private var byLevel = LevelCounts()

    /// How many are lost of all levels.
    private(set) var total: UInt64 = 0

    /// How many are lost of a level, of all causes.
    func count(of level: Level) -> UInt64 { byLevel[level] }

    /// Counts more as lost.
    mutating func add(_ count: UInt64, of level: Level, _ cause: LossCause) {
        byCause[cause, default: LevelCounts()][level] += count
        byLevel[level] += count
        total += count
    }
}
