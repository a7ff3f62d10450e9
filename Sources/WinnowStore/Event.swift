// SPDX-License-Identifier: Apache-2.0

internal import CSystemd
internal import CWinnow

/// What wakes the thread that reads, wherever it waits: eventfd(2).
final class Event: Sendable {
    private let descriptor: Int32

    /// Creates an event that is not signalled.
    init() throws(LogStoreError) {
        let made = csystemd_event_make()
        let above = made < 0 ? made : cwinnow_descriptor_move_up(made)
        guard above >= 0 else { throw LogStoreError(.failed, "eventfd", systemError: -above) }
        descriptor = above
    }

    deinit {
        _ = cwinnow_descriptor_close(descriptor)
    }

    /// Wakes the thread that waits, or keeps the next one from it.
    ///
    /// MT-Safe.
    func signal() {
        csystemd_event_signal(descriptor)
    }

    /// Waits for the signal, for one of the events of the other descriptor, or for the time; -1 is
    /// no other descriptor, or for ever.
    func wait(orFor other: Int32 = -1, events: Int16 = 0, nanoseconds: Int64 = -1) {
        // What the wait can fail with is no memory, and then trying again is all that is left.
        _ = csystemd_event_wait(descriptor, other, events, nanoseconds)
    }
}
