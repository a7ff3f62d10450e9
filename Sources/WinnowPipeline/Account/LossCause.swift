// SPDX-License-Identifier: Apache-2.0

public import WinnowCore

/// Why a sink lost a record.
public enum LossCause: String, Sendable, Hashable, CaseIterable {
    /// The sink could not take records, and the queue for them was full.
    case queueFull = "the queue was full"
    /// The ring of the thread that logged was full, as the worker did not keep up.
    case overflow = "the worker did not keep up"
    /// The sink refused the record for good.
    case rejected = "the sink refused them"
    /// The sink was not there, and neither was its fallback.
    case unavailable = "the sink was not there"
    /// The program ended before the sink took them.
    case exit = "the program ended"
    /// Another configuration took the place of the sink's before the sink took them.
    case replaced = "the configuration was replaced"
    /// A sink logged from within, and gets neither its own records nor what other sinks log about them.
    ///
    /// The one cause that is counted and not reported in the log: the report would have the sink
    /// log again, and so on without end.
    case reentrant = "the sink logged them itself, or had others log them"
    /// Another sink logged them while it took a record that a sink had logged: such records would multiply.
    case nested = "another sink logged them about what a sink had logged"
}

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
