// SPDX-License-Identifier: Apache-2.0

public import CWinnow

/// What other loggers call levels, for the compiler to answer with the name that the level has here.
extension Log {
    /// What other loggers call ``warning``.
    @available(*, unavailable, renamed: "warning")
    public var warn: LogStatement<CallerFloor> { warning }

    /// What other loggers call ``debug``, the least severe level.
    @available(*, unavailable, renamed: "debug")
    public var trace: LogStatement<CallerFloor> { debug }

    /// What other loggers call ``debug``, the least severe level.
    @available(*, unavailable, renamed: "debug")
    public var verbose: LogStatement<CallerFloor> { debug }

    /// What other loggers call ``critical``.
    @available(*, unavailable, renamed: "critical")
    public var fatal: LogStatement<CallerFloor> { critical }

    /// What os.Logger calls ``critical``.
    @available(*, unavailable, renamed: "critical")
    public var fault: LogStatement<CallerFloor> { critical }
}

/// The same in the default category.
extension Log {
    /// What other loggers call ``warning``.
    @available(*, unavailable, renamed: "warning")
    public static var warn: LogStatement<CallerFloor> { warning }

    /// What other loggers call ``debug``, the least severe level.
    @available(*, unavailable, renamed: "debug")
    public static var trace: LogStatement<CallerFloor> { debug }

    /// What other loggers call ``debug``, the least severe level.
    @available(*, unavailable, renamed: "debug")
    public static var verbose: LogStatement<CallerFloor> { debug }

    /// What other loggers call ``critical``.
    @available(*, unavailable, renamed: "critical")
    public static var fatal: LogStatement<CallerFloor> { critical }

    /// What os.Logger calls ``critical``.
    @available(*, unavailable, renamed: "critical")
    public static var fault: LogStatement<CallerFloor> { critical }
}
