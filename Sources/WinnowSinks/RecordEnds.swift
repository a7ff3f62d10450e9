// SPDX-License-Identifier: Apache-2.0

/// Where the records of a buffer end.
///
/// Not an array, which asks with each record whether somebody else has it too.
@safe
struct RecordEnds: ~Copyable {
    // SAFETY: the memory is this value's own, and its first `count` places are initialised.
    private var storage: UnsafeMutableBufferPointer<Int>
    private(set) var count = 0

    init() {
        unsafe storage = .allocate(capacity: 256)
    }

    deinit {
        unsafe storage.deallocate()
    }

    var isEmpty: Bool { count == 0 }

    /// All of them, as long as nothing is added.
    var all: UnsafeBufferPointer<Int> {
        unsafe UnsafeBufferPointer(start: storage.baseAddress, count: count)
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
