// SPDX-License-Identifier: Apache-2.0

public import CWinnow

extension Level {
    /// The raw value of the least severe level that the calling module compiles; -1 for none.
    ///
    /// A flag of the module's own build decides: `-Xcc -DWINNOW_MAX_LEVEL=n` for the whole program,
    /// `cSettings: [.define("WINNOW_MAX_LEVEL", to: "n")]` for one target. Without it the floor is
    /// ``notice`` in release builds and ``debug`` in debug builds. It must be read in functions
    /// that are inlined into the caller, or it is the floor of the module that holds them.
    ///
    /// Source: stripping study.
    @inlinable
    @inline(always)
    public static var staticMaximum: Int32 {
        let floor = cwinnow_max_level()
        if floor != CWINNOW_NO_FLOOR { return floor }
        return _isDebugAssertConfiguration() ? 7 : 5
    }
}
