// SPDX-License-Identifier: Apache-2.0

public import CWinnow

/// The eight levels, and what takes a level as an argument, on a logger.
extension Log {
    /// Logs at ``Level/emergency``: the system is unusable.
    public var emergency: LogStatement<CallerFloor> {
        @export(implementation) @inline(always) get { LogStatement(log: self, level: 0) }
    }

    /// Logs at ``Level/alert``: action must be taken at once.
    public var alert: LogStatement<CallerFloor> {
        @export(implementation) @inline(always) get { LogStatement(log: self, level: 1) }
    }

    /// Logs at ``Level/critical``: a critical condition.
    public var critical: LogStatement<CallerFloor> {
        @export(implementation) @inline(always) get { LogStatement(log: self, level: 2) }
    }

    /// Logs at ``Level/error``: an operation failed.
    public var error: LogStatement<CallerFloor> {
        @export(implementation) @inline(always) get { LogStatement(log: self, level: 3) }
    }

    /// Logs at ``Level/warning``: something is likely to fail, or was worked around.
    public var warning: LogStatement<CallerFloor> {
        @export(implementation) @inline(always) get { LogStatement(log: self, level: 4) }
    }

    /// Logs at ``Level/notice``: normal, but significant.
    public var notice: LogStatement<CallerFloor> {
        @export(implementation) @inline(always) get { LogStatement(log: self, level: 5) }
    }

    /// Logs at ``Level/info``: the normal course of work.
    public var info: LogStatement<CallerFloor> {
        @export(implementation) @inline(always) get { LogStatement(log: self, level: 6) }
    }

    /// Logs at ``Level/debug``: details for the developers.
    public var debug: LogStatement<CallerFloor> {
        @export(implementation) @inline(always) get { LogStatement(log: self, level: 7) }
    }

    /// Logs at a level that is an argument: `log.log(level, "…")`.
    public var log: LeveledStatement<CallerFloor> {
        @export(implementation) @inline(always) get { LeveledStatement(log: self) }
    }

    /// Whether a record of a level would be accepted now: `log.isEnabled(.debug)`.
    public var isEnabled: LevelQuery<CallerFloor> {
        @export(implementation) @inline(always) get { LevelQuery(log: self) }
    }

    /// Logs an interval: `log.interval("load") { … }`.
    public var interval: IntervalStatement<CallerFloor> {
        @export(implementation) @inline(always) get { IntervalStatement(log: self) }
    }
}

/// The same in the default category, as a replacement for `NSLog` and `print`.
extension Log {
    /// Logs at ``Level/emergency``, without a category: the system is unusable.
    public static var emergency: LogStatement<CallerFloor> {
        @export(implementation) @inline(always) get { LogStatement(log: .unnamed, level: 0) }
    }

    /// Logs at ``Level/alert``, without a category: action must be taken at once.
    public static var alert: LogStatement<CallerFloor> {
        @export(implementation) @inline(always) get { LogStatement(log: .unnamed, level: 1) }
    }

    /// Logs at ``Level/critical``, without a category: a critical condition.
    public static var critical: LogStatement<CallerFloor> {
        @export(implementation) @inline(always) get { LogStatement(log: .unnamed, level: 2) }
    }

    /// Logs at ``Level/error``, without a category: an operation failed.
    public static var error: LogStatement<CallerFloor> {
        @export(implementation) @inline(always) get { LogStatement(log: .unnamed, level: 3) }
    }

    /// Logs at ``Level/warning``, without a category: something is likely to fail, or was worked
    /// around.
    public static var warning: LogStatement<CallerFloor> {
        @export(implementation) @inline(always) get { LogStatement(log: .unnamed, level: 4) }
    }

    /// Logs at ``Level/notice``, without a category: normal, but significant.
    public static var notice: LogStatement<CallerFloor> {
        @export(implementation) @inline(always) get { LogStatement(log: .unnamed, level: 5) }
    }

    /// Logs at ``Level/info``, without a category: the normal course of work.
    public static var info: LogStatement<CallerFloor> {
        @export(implementation) @inline(always) get { LogStatement(log: .unnamed, level: 6) }
    }

    /// Logs at ``Level/debug``, without a category: details for the developers.
    public static var debug: LogStatement<CallerFloor> {
        @export(implementation) @inline(always) get { LogStatement(log: .unnamed, level: 7) }
    }

    /// Logs at a level that is an argument, without a category: `Log.log(level, "…")`.
    public static var log: LeveledStatement<CallerFloor> {
        @export(implementation) @inline(always) get { LeveledStatement(log: .unnamed) }
    }

    /// Whether a record without a category would be accepted now: `Log.isEnabled(.debug)`.
    public static var isEnabled: LevelQuery<CallerFloor> {
        @export(implementation) @inline(always) get { LevelQuery(log: .unnamed) }
    }

    /// Logs an interval without a category.
    public static var interval: IntervalStatement<CallerFloor> {
        @export(implementation) @inline(always) get { IntervalStatement(log: .unnamed) }
    }
}
