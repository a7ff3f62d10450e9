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
    /// It must be read in functions that are inlined into the caller, or it is the floor of the module
    /// that holds them.
    ///
    /// Source: stripping study.
    @inlinable
    @inline(always)
    public static var staticMaximum: Int32 { cwinnow_max_level(defaultMaximum) }

    /// Whether a module compiles statements of a level, given as a literal.
    ///
    /// The floor is a type, as its size is a constant to Swift where the value of a C function is one to
    /// LLVM only. So the statement goes before it is optimized, and goes where nothing is. The function
    /// and all that call it with a `Floor` are generic, or their own module would be the one that is asked.
    @inlinable
    @inline(always)
    package static func isKept<Floor>(_ level: UInt8, above floor: Floor.Type) -> Bool {
        // Two comparisons and no value that is one of two: without an optimizer that does not fold.
        if MemoryLayout<Floor>.size > 9 { return Int32(level) <= defaultMaximum }
        return Int(level) &+ 1 < MemoryLayout<Floor>.size
    }

    /// The floor that a type stands for.
    @inlinable
    @inline(always)
    package static func maximum<Floor>(of floor: Floor.Type) -> Int32 {
        let size = MemoryLayout<Floor>.size
        return size > 9 ? defaultMaximum : Int32(truncatingIfNeeded: size &- 2)
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
