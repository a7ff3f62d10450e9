// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import WinnowCore

/// The records that the worker delivers next: taken out of the rings, in their order, and numbered.
///
/// It claims some at a time, as a number of its own costs each record two instructions that wait for
/// all that was written before. What the end of the process finds of them, in place of the worker, has
/// its numbers and is lost under these.
@safe
struct ClaimedRecords: ~Copyable {
    // SAFETY: the worker writes a record before it publishes it, and the end of the process reads those
    // that are published, which stay as they are while the worker is inside a sink, or has ended.

    /// The records that are kept: those of a batch, and so many are claimed at a time.
    static let capacity = HeldRecords.capacity
    static let countAtATime = 32

    /// Where the worker's lie, and which of them are claimed and not begun: the first, and the end.
    private static let address = Atomic<UInt>(0)
    private static let first = Atomic<Int>(0)
    private static let end = Atomic<Int>(0)

    private let places: UnsafeMutablePointer<RingRecord>

    /// Makes those of the worker.
    init() {
        unsafe places = .allocate(capacity: Self.capacity)
        Self.first.store(0, ordering: .relaxed)
        Self.end.store(0, ordering: .relaxed)
        unsafe Self.address.store(UInt(bitPattern: places), ordering: .releasing)
    }

    deinit {
        Self.address.store(0, ordering: .releasing)
        unsafe places.deallocate()
    }

    /// The place of a record.
    subscript(index: Int) -> UnsafeMutablePointer<RingRecord> {
        @inline(__always) get { unsafe places + index }
    }

    /// Numbers the records in the places, and has the end of the process count them.
    func publish(_ range: Range<Int>) {
        unsafe RecordNumbers.number(self[range.lowerBound], count: range.count)
        Self.first.store(range.lowerBound, ordering: .relaxed)
        Self.end.store(range.upperBound, ordering: .releasing)
    }

    /// Notes that the worker brings a record to the sinks.
    @inline(__always)
    func begin(_ index: Int) {
        Self.first.store(index &+ 1, ordering: .releasing)
    }

    /// Calls the body with each record that was claimed and not begun: in the place of the worker.
    static func takeAll(_ body: (RecordHeader) -> Void) {
        let address = address.load(ordering: .acquiring)
        guard let places = unsafe UnsafePointer<RingRecord>(bitPattern: address) else { return }
        let end = end.load(ordering: .acquiring)
        for index in min(first.load(ordering: .acquiring), end)..<end {
            unsafe body(places[index].header)
        }
        first.store(end, ordering: .relaxed)
    }

    /// Forgets the parent's: in the child of a fork.
    static func forgetParent() {
        address.store(0, ordering: .relaxed)
    }
}
