// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import WinnowCore

/// The records that a sink holds back until the end of a batch: where the worker keeps them.
///
/// The worker adds to them without a lock, as one for each record would cost more than the rest of its
/// account. They are taken out with the lock of the account held, by the worker at the end of the batch,
/// or by the end of the process where the worker is stuck in the sink.
@safe
struct HeldRecords: ~Copyable, @unchecked Sendable {
    // SAFETY: the worker writes a place before it counts it; others read those that are counted.

    /// The most records of a batch.
    static let capacity = 256

    private let places: UnsafeMutablePointer<UnsafePointer<RingRecord>>
    private let number = Atomic<Int>(0)

    init() {
        unsafe places = .allocate(capacity: Self.capacity)
    }

    deinit {
        unsafe places.deallocate()
    }

    /// How many there are.
    ///
    /// May be read without the lock.
    var count: Int { number.load(ordering: .acquiring) }

    /// Adds a record, of which there are fewer than the capacity; returns whether there is no room for
    /// another then.
    ///
    /// It stays as it is until the records are taken out. Only the worker calls it.
    @inline(__always)
    func append(_ record: UnsafePointer<RingRecord>) -> Bool {
        let index = number.load(ordering: .relaxed)
        unsafe (places + index).initialize(to: record)
        number.store(index &+ 1, ordering: .releasing)
        return index &+ 1 == Self.capacity
    }

    /// Takes all records out, and calls the body with the header and the arguments of each from the
    /// given one on: with the lock of the account held.
    ///
    /// Returns how many there were.
    func takeAll(
        visitingFrom first: Int = 0,
        _ body: (RecordHeader, UnsafeRawPointer) -> Void
    ) -> Int {
        let count = number.load(ordering: .acquiring)
        for index in min(first, count)..<count {
            let record = unsafe places[index]
            unsafe body(record.pointee.header, record.pointee.arguments)
        }
        number.store(0, ordering: .releasing)
        return count
    }
}
