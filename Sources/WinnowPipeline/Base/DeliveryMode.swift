// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// Who brings a record to the sinks.
package enum DeliveryMode: Sendable, Hashable {
    /// The caller, before its call returns.
    case immediate
    /// The worker, from the ring of the caller's thread.
    ///
    /// - Parameters:
    ///   - patience: How long a caller waits for the worker where its ring is full, in nanoseconds;
    ///     0 is not at all.
    ///   - ringByteCount: The bytes of each thread's ring; the next power of two that holds them.
    case deferred(patience: UInt64, ringByteCount: Int)

    /// The bytes of a ring where nobody says otherwise: some 2 000 records.
    ///
    /// Source: hot-path study; more costs a page fault for every 40 records of the first lap.
    package static let defaultRingByteCount = 256 * 1_024

    /// The least and the most bytes of a ring.
    private static let ringByteCounts = Int(CWINNOW_RING_MINIMUM)...1 << 30

    /// The bytes that a program may ask for: of less, the room that each record must find, and the end
    /// of a lap, would leave next to nothing, and a burst of few records would be lost.
    package static let usefulRingByteCounts = 64 * 1_024...1 << 30

    /// How long a caller waits where nobody says otherwise.
    package static var defaultPatience: UInt64 { Bounds.Caller.ring }

    /// Deferred delivery as it is where nobody says otherwise.
    package static let deferred = DeliveryMode.deferred(
        patience: defaultPatience,
        ringByteCount: defaultRingByteCount
    )

    /// Returns the power of two that holds so many bytes, within the bounds.
    static func ringByteCount(for wanted: Int) -> UInt64 {
        var size = ringByteCounts.lowerBound
        while size < min(wanted, ringByteCounts.upperBound) { size *= 2 }
        return UInt64(size)
    }
}
