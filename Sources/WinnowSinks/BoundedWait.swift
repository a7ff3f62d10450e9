// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// The time that one call of a sink may wait for its destination, over all its waits.
///
/// Law 3 of `Sink` allows some tens of milliseconds. A receiver that works empties its queue within
/// one time slice of the scheduler; one that does not is the pipeline's to come back to. A thread that
/// serves several sinks waits less: see `SinkPatience`.
package struct BoundedWait: ~Copyable {
    private static let limitNanoseconds: UInt64 = 20_000_000
    private var deadline: UInt64 = 0

    package init() {}

    /// Waits until the descriptor may take bytes; false when the time is over.
    package mutating func untilWritable(_ descriptor: Int32) -> Bool {
        let now = cwinnow_clock_monotonic()
        if deadline == 0 { deadline = now + Self.limitNanoseconds }
        guard now < deadline else { return false }
        let time = min(deadline - now, SinkPatience.rest)
        guard time > 0 else { return false }
        defer { SinkPatience.spend(cwinnow_clock_monotonic() - now) }
        // A signal ends the wait early: the caller tries again, and the deadline still holds.
        let milliseconds = Int32((time + 999_999) / 1_000_000)
        return cwinnow_descriptor_wait_writable(descriptor, milliseconds) != 0
    }
}
