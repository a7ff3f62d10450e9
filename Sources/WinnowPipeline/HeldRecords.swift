// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import WinnowCore

/// The records that a sink holds back until the end of a batch: their headers, and where their arguments
/// lie in the rings.
///
/// The worker adds to them without a lock, as one for each record would cost more than the rest of its
/// account. They are taken out with the lock of the books held, by the worker at the end of the batch,
/// or by the end of the process where the worker is stuck in the sink.
@safe
struct HeldRecords: ~Copyable, @unchecked Sendable {
    // SAFETY: the worker writes a place before it counts it; others read those that are counted.

    /// The most records of a batch: 22 KiB for each route.
    static let capacity = 256

    private let places: UnsafeMutablePointer<(header: RecordHeader, arguments: UnsafeRawPointer)>
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
    /// The arguments stay as they are until the records are taken out. Only the worker calls it.
    func append(_ header: RecordHeader, arguments: UnsafeRawPointer) -> Bool {
        let index = number.load(ordering: .relaxed)
        unsafe (places + index).initialize(to: (header, arguments))
        number.store(index + 1, ordering: .releasing)
        return index + 1 == Self.capacity
    }

    /// Takes all records out, and calls the body with the header and the arguments of each from the
    /// given one on: with the lock of the books held.
    ///
    /// Returns how many there were.
    func takeAll(
        visitingFrom first: Int = 0,
        _ body: (RecordHeader, UnsafeRawPointer) -> Void
    ) -> Int {
        let count = number.load(ordering: .acquiring)
        for index in min(first, count)..<count {
            let (header, arguments) = unsafe places[index]
            unsafe body(header, arguments)
        }
        number.store(0, ordering: .releasing)
        return count
    }
}
