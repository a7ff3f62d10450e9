// SPDX-License-Identifier: Apache-2.0

public import CWinnow

extension Level {
    /// The raw value of the least severe level that the calling module compiles; -1 for none.
    ///
    /// Three things set it, the first that is there decides:
    /// 1. a flag of the module's own build, `-Xcc -DWINNOW_MAX_LEVEL=n` for the whole program or
    ///    `cSettings: [.define("WINNOW_MAX_LEVEL", to: "n")]` for one target;
    /// 2. the package traits `MaxLogLevelEmergency` … `MaxLogLevelDebug` and `MaxLogLevelNone`, of
    ///    which the most verbose holds for the whole program;
    /// 3. the build: ``notice`` in release builds, ``debug`` in debug builds.
    ///
    /// In a build without optimization no flag makes it more verbose than a trait: there the trait
    /// is decided before the flag can be read. It must be read in functions that are inlined into
    /// the caller, or it is the floor of the module that holds them.
    ///
    /// Source: stripping study.
    @inlinable
    @inline(always)
    public static var staticMaximum: Int32 {
        // One call and no branch: every statement holds it.
        cwinnow_max_level(defaultMaximum, !_isDebugAssertConfiguration())
    }

    /// Whether the calling module compiles statements of a level, given as a literal.
    ///
    /// The first test folds without an optimizer too, where the trait is all that it takes to strip
    /// the statement; the flag is a C function, which only an optimizer folds.
    @inlinable
    @inline(always)
    package static func isKept(_ level: UInt8) -> Bool {
        if _isDebugAssertConfiguration() && Int32(level) > defaultMaximum { return false }
        return Int32(level) <= staticMaximum
    }

    /// The floor where no flag sets one.
    @inlinable
    @inline(always)
    static var defaultMaximum: Int32 {
        // The most verbose trait holds, so that no package silences another.
        #if MaxLogLevelDebug
        7
        #elseif MaxLogLevelInfo
        6
        #elseif MaxLogLevelNotice
        5
        #elseif MaxLogLevelWarning
        4
        #elseif MaxLogLevelError
        3
        #elseif MaxLogLevelCritical
        2
        #elseif MaxLogLevelAlert
        1
        #elseif MaxLogLevelEmergency
        0
        #elseif MaxLogLevelNone
        -1
        #else
        maximum(inDebugBuild: _isDebugAssertConfiguration())
        #endif
    }

    /// The floor of a build without a trait.
    ///
    /// A function of its own, as in a build for coverage the compiler warns of the branch that a
    /// constant does not take.
    @inlinable
    @inline(always)
    static func maximum(inDebugBuild isDebug: Bool) -> Int32 { isDebug ? 7 : 5 }
}
