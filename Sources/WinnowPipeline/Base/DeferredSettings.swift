// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import Synchronization

/// The settings of deferred delivery, as the threads read them on their long way.
enum DeferredSettings {
    /// Counts the configurations: each has the threads look at the settings once.
    private static let epochs = Atomic<UInt32>(0)
    private static let patienceInUse = Atomic<UInt64>(0)
    private static let ringBytesInUse = Atomic<UInt64>(0)

    /// How long a caller waits for the worker where its ring is full, in nanoseconds.
    static var patience: UInt64 { patienceInUse.load(ordering: .relaxed) }

    /// The bytes of a new ring.
    static var ringByteCount: UInt64 { ringBytesInUse.load(ordering: .relaxed) }

    /// Has the threads deliver in the way from their next call on.
    ///
    /// One thread at a time.
    static func set(_ mode: DeliveryMode) {
        guard case .deferred(let patience, let bytes) = mode else {
            return cwinnow_delivery_set_epoch(0)
        }
        // Mostly the program has no other thread yet.
        cwinnow_worker_prepare_alone()
        patienceInUse.store(patience, ordering: .relaxed)
        ringBytesInUse.store(DeliveryMode.ringByteCount(for: bytes), ordering: .relaxed)
        var epoch = epochs.add(1, ordering: .relaxed).newValue
        if epoch == 0 { epoch = epochs.add(1, ordering: .relaxed).newValue }
        cwinnow_delivery_set_epoch(epoch)
    }
}
