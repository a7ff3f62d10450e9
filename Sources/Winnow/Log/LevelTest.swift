// SPDX-License-Identifier: Apache-2.0

public import CWinnow
public import WinnowCore

/// The test that work can be made to depend on which only a log call needs.
extension Log {
    /// Whether a record of a level would be accepted now: `log.isEnabled(.debug)`.
    public var isEnabled: LevelTest<CallerFloor> {
        @inlinable @inline(always) get { LevelTest(log: self) }
    }

    /// Whether a record without a category would be accepted now: `Log.isEnabled(.debug)`.
    public static var isEnabled: LevelTest<CallerFloor> {
        @inlinable @inline(always) get { LevelTest(log: .unnamed) }
    }
}

/// A category, ready to be asked about a level: `log.isEnabled`.
///
/// ```swift
/// if log.isEnabled(.debug) { log.debug("\(expensive())") }
/// ```
/// `Floor` is that of ``LogStatement``: below it the answer is a constant, and what depends on it is
/// not in the program.
@frozen
public struct LevelTest<Floor>: Sendable {
    @usableFromInline let log: Log

    @inlinable
    @inline(always)
    init(log: Log) {
        self.log = log
    }

    /// Whether a record of the level would be accepted now.
    ///
    /// It starts the system where nothing has, and keeps errno. MT-Safe, AS-Unsafe.
    @inlinable
    @inline(always)
    public func callAsFunction(_ level: Level) -> Bool {
        guard Level.isKept(level.literal, above: Floor.self) else { return false }
        return log.letsThrough(level)
    }
}
