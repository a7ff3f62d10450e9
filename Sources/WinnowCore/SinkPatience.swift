// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// How long this thread may still wait for the destinations of sinks, over all of them.
///
/// A thread that serves several sinks has a bound, so that it does not wait for each in turn: the others
/// would get their records too late. The sinks of Winnow keep to it, beside the bound of each call. The
/// times are in nanoseconds. MT-Safe: each thread has a bound of its own.
package enum SinkPatience {
    /// What is left; `.max` where this thread has no bound.
    package static var rest: UInt64 {
        get { cwinnow_patience() }
        set { cwinnow_set_patience(newValue) }
    }

    /// Takes a wait off what is left.
    package static func spend(_ nanoseconds: UInt64) {
        let rest = rest
        if rest != .max { Self.rest = rest - min(rest, nanoseconds) }
    }

    /// Runs the body with a bound of its own, and with the former one after that.
    package static func limited<Result>(to nanoseconds: UInt64, _ body: () -> Result) -> Result {
        let before = rest
        rest = nanoseconds
        defer { rest = before }
        return body()
    }
}
