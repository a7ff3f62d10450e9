// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// The records that a sink holds back until the end of a batch: only the worker keeps any.
@safe
struct HeldRecords: ~Copyable, @unchecked Sendable {
    // SAFETY: the worker alone reads and writes them, and the child of a fork, which has no worker.

    /// The most records of a batch.
    static let capacity = 256

    private let places: UnsafeMutablePointer<UnsafePointer<RingRecord>>
    private let number: UnsafeMutablePointer<Int>

    init() {
        unsafe places = .allocate(capacity: Self.capacity)
        unsafe number = .allocate(capacity: 1)
        unsafe number.initialize(to: 0)
    }

    deinit {
        unsafe places.deallocate()
        unsafe number.deallocate()
    }

    var count: Int { unsafe number.pointee }

    /// Adds a record, of which there are fewer than the capacity; returns whether there is no room for
    /// another then.
    ///
    /// It stays as it is until the records are taken out.
    @inline(__always)
    func append(_ record: UnsafePointer<RingRecord>) -> Bool {
        let index = unsafe number.pointee
        unsafe (places + index).initialize(to: record)
        unsafe number.pointee = index &+ 1
        return index &+ 1 == Self.capacity
    }

    /// How many of the first records there are of each level.
    func counts(ofFirst count: Int) -> InlineArray<8, UInt64> {
        var counts = InlineArray<8, UInt64>(repeating: 0)
        for index in 0..<count {
            // SAFETY: a level has a raw value below eight.
            let level = unsafe Int(places[index].pointee.header.level.rawValue)
            unsafe counts[unchecked: level] &+= 1
        }
        return counts
    }

    /// Calls the body with the header and the arguments of each record of the range.
    func visit(_ range: Range<Int>, _ body: (RecordHeader, UnsafeRawPointer) -> Void) {
        for index in range {
            let record = unsafe places[index]
            unsafe body(record.pointee.header, record.pointee.arguments)
        }
    }

    /// Takes all records out.
    func removeAll() {
        unsafe number.pointee = 0
    }
}
