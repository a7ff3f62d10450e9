// SPDX-License-Identifier: Apache-2.0

/// Where the records of a buffer end.
///
/// Not an array, which would check with each record whether it is uniquely referenced.
@safe
struct RecordEnds: ~Copyable {
    // SAFETY: the memory is this value's own, and its first `count` places are initialized.
    private var storage: UnsafeMutableBufferPointer<Int>
    private(set) var count = 0

    init() {
        unsafe storage = .allocate(capacity: 256)
    }

    deinit {
        unsafe storage.deallocate()
    }

    var isEmpty: Bool { count == 0 }

    /// Some of them, as long as nothing is added.
    subscript(range: Range<Int>) -> RecordEndRun {
        precondition(range.lowerBound >= 0 && range.upperBound <= count)
        return unsafe RecordEndRun(
            UnsafeBufferPointer(start: storage.baseAddress, count: range.upperBound),
            from: range.lowerBound
        )
    }

    subscript(index: Int) -> Int {
        precondition(index >= 0 && index < count)
        return unsafe storage[index]
    }

    @inline(__always)
    mutating func append(_ end: Int) {
        if unsafe count == storage.count { grow() }
        unsafe storage.initializeElement(at: count, to: end)
        count += 1
    }

    /// Removes all, and keeps the memory.
    mutating func removeAll() {
        count = 0
    }

    @inline(never)
    private mutating func grow() {
        let larger = UnsafeMutableBufferPointer<Int>.allocate(capacity: count * 2)
        _ = unsafe larger.moveInitialize(fromContentsOf: storage)
        unsafe storage.deallocate()
        unsafe storage = larger
    }
}

/// Where records that follow each other in a buffer end.
///
/// Nothing here is generic: without an optimizer, Swift would look up types at run time, which allocates
/// memory, and the process may be ending with the lock of malloc(3) held.
@unsafe
struct RecordEndRun {
    // SAFETY: lent by who has the memory.
    private let ends: UnsafeBufferPointer<Int>
    private let first: Int

    init(_ ends: UnsafeBufferPointer<Int>, from first: Int = 0) {
        unsafe self.ends = unsafe ends
        unsafe self.first = first
    }

    var count: Int { unsafe ends.count - first }

    /// The end of the last one; nil where there is none.
    var last: Int? { unsafe count > 0 ? ends[ends.count - 1] : nil }

    /// The first ones, those that end at the offset or before it.
    func upTo(_ offset: Int) -> RecordEndRun {
        var end = unsafe first
        while unsafe end < ends.count, unsafe ends[end] <= offset { end += 1 }
        let run = unsafe UnsafeBufferPointer(start: ends.baseAddress, count: end)
        return unsafe RecordEndRun(run, from: first)
    }
}
