// SPDX-License-Identifier: Apache-2.0

public import CWinnow

extension Level {
    /// The raw value of the least severe level that the calling module compiles; -1 for none.
    ///
    /// Three settings determine it, and the first that exists applies:
    /// 1. a flag of the module's own build, `-Xcc -DWINNOW_MAX_LEVEL=n` for the whole program or
    ///    `cSettings: [.define("WINNOW_MAX_LEVEL", to: "n")]` for one target;
    /// 2. the package traits `MaxLogLevelEmergency` … `MaxLogLevelDebug` and `MaxLogLevelNone`, of
    ///    which the most verbose applies to the whole program;
    /// 3. the build: ``notice`` in release builds, ``debug`` in debug builds.
    ///
    /// In a function that other modules compile, such as an `@export(implementation)` one, it is the floor of the
    /// module that compiles it. A log statement there has the floor of the module in which it is
    /// written.
    ///
    /// Source: stripping study, the C header.
    @export(implementation)
    @inline(always)
    public static var staticMaximum: Int32 { cwinnow_max_level(defaultMaximum) }

    /// Whether the module that a floor stands for compiles statements of a level.
    ///
    /// Swift folds the size of a type, with an optimizer and without; the value of a C function
    /// only LLVM knows. Callers stay generic over `Floor`, or the size in their own module is
    /// taken. Tests/Floor holds them to it.
    @export(implementation)
    @inline(always)
    package static func isKept<Floor>(_ level: UInt8, above floor: Floor.Type) -> Bool {
        // Two comparisons and no value that is one of two: without an optimizer that does not fold.
        if MemoryLayout<Floor>.size > 9 { return Int32(level) <= defaultMaximum }
        return Int(level) &+ 1 < MemoryLayout<Floor>.size
    }

    /// The floor that a type stands for.
    @export(implementation)
    @inline(always)
    package static func maximum<Floor>(of floor: Floor.Type) -> Int32 {
        let size = MemoryLayout<Floor>.size
        return size > 9 ? defaultMaximum : Int32(truncatingIfNeeded: size &- 2)
    }

    /// The floor where no flag sets one.
    @export(implementation)
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

    /// Whether some statements may have another floor: those of swift-log have one of their own.
    package static var hasOtherStatements: Bool {
        #if SwiftLog
        true
        #else
        false
        #endif
    }

    /// The floor of a build without a trait.
    ///
    /// A function of its own, as in a build for coverage the compiler warns of the branch that a
    /// constant does not take.
    @export(implementation)
    @inline(always)
    static func maximum(inDebugBuild isDebug: Bool) -> Int32 { isDebug ? 7 : 5 }
}
