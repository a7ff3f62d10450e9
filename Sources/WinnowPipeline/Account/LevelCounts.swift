// SPDX-License-Identifier: Apache-2.0

public import WinnowCore

/// How many records of each level.
///
/// A value: MT-Safe, AS-Unsafe heap.
@frozen
public struct LevelCounts: Sendable, Hashable {
    private var counts: InlineArray<8, UInt64> = .init(repeating: 0)

    /// Creates counts of zero.
    public init() {}

    /// Creates counts of what the body says of each level.
    init(_ count: (Level) -> UInt64) {
        for level in Level.allCases { self[level] = count(level) }
    }

    /// The number of records of a level.
    public subscript(level: Level) -> UInt64 {
        get { counts[Int(level.rawValue)] }
        set { counts[Int(level.rawValue)] = newValue }
    }

    /// The number of records of all levels together.
    public var total: UInt64 {
        Level.allCases.reduce(0) { $0 + self[$1] }
    }

    /// Whether two counts are equal.
    public static func == (left: LevelCounts, right: LevelCounts) -> Bool {
        Level.allCases.allSatisfy { left[$0] == right[$0] }
    }

    /// Hashes the counts.
    public func hash(into hasher: inout Hasher) {
        for level in Level.allCases { hasher.combine(self[level]) }
    }
}

extension LevelCounts: CustomStringConvertible {
    /// The counts in words, the most severe first: `2 error, 17 debug`.
    public var description: String {
        Level.allCases
            .filter { self[$0] > 0 }
            .map { "\(self[$0]) \($0)" }
            .joined(separator: ", ")
    }
}
