// SPDX-License-Identifier: Apache-2.0

public import WinnowCore

/// A category, ready to be asked about a level: `log.isEnabled`.
///
/// ```swift
/// if log.isEnabled(.debug) { log.debug("\(expensive())") }
/// ```
/// `Floor` is that of ``LogStatement``. Below it, a level given as a literal makes the answer a
/// constant, and the code that depends on the answer is not in the program.
@frozen
public struct LevelQuery<Floor>: Sendable {
    @usableFromInline let log: Log

    @export(implementation)
    @inline(always)
    init(log: Log) {
        self.log = log
    }

    /// Whether a record of the level would be accepted now.
    ///
    /// It starts the log if nothing has started it yet, and keeps errno. MT-Safe, AS-Unsafe.
    @export(implementation)
    @inline(always)
    public func callAsFunction(_ level: Level) -> Bool {
        guard Level.isKept(level.literal, above: Floor.self) else { return false }
        return log.letsThrough(level)
    }
}
