// SPDX-License-Identifier: Apache-2.0

package import WinnowCore

/// A time in which a sink took nothing, and what the other routes were told of it.
package struct Stall {
    /// When it began, on CLOCK_MONOTONIC.
    package let begin: UInt64
    /// The records that the route had lost before.
    let lostBefore: UInt64
    /// Why the sink took nothing at the last attempt.
    var error: SinkError
    /// Whether it was announced on the other routes, and whether any of them took the announcement.
    var isTold = false
    var isHeard = false

    /// Notes that a sink has begun to take nothing, on CLOCK_MONOTONIC.
    package init(begin: UInt64, lostBefore: UInt64, error: SinkError) {
        self.begin = begin
        self.lostBefore = lostBefore
        self.error = error
    }

    /// How long it has lasted, in nanoseconds; none where it began after the clock was read.
    package func duration(at now: UInt64) -> UInt64 {
        now > begin ? now - begin : 0
    }

    /// Whether it has lasted long enough to be told.
    package func isNotable(at now: UInt64) -> Bool {
        duration(at: now) >= (error.code == .busy ? Bounds.News.busy : Bounds.News.failure)
    }
}
