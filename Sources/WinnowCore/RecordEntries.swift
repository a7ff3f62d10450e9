// SPDX-License-Identifier: Apache-2.0

/// The fields of a decoded record.
///
/// Not an array, which would check with each entry whether it is uniquely referenced.
@safe
@usableFromInline
package struct RecordEntries: ~Copyable {
    // SAFETY: the memory is this value's own, and its first `count` entries are initialized.
    @usableFromInline var storage: UnsafeMutableBufferPointer<RecordContent.Entry>
    /// The number of entries.
    @usableFromInline package internal(set) var count = 0

    /// The entries that there is room for at first.
    private static let usualCount = 8

    init() {
        unsafe storage = .allocate(capacity: Self.usualCount)
    }

    deinit {
        unsafe storage.deallocate()
    }

    /// Appends an entry.
    package mutating func append(_ entry: RecordContent.Entry) {
        if unsafe count == storage.count { grow() }
        unsafe storage.initializeElement(at: count, to: entry)
        count += 1
    }

    /// Puts a value in the place of the one that an entry has.
    mutating func setValue(_ value: RecordContent.Value, at index: Int) {
        precondition(index >= 0 && index < count)
        unsafe storage[index].value = unsafe value
    }

    /// Whether a giant record has needed so much memory that it is not kept for the next.
    @export(implementation) var isLarge: Bool {
        @inline(__always) get { unsafe storage.count > 256 }
    }

    /// Removes all entries.
    @export(implementation)
    @inline(__always)
    mutating func removeAll() {
        // They are plain bytes, for which there is nothing to do.
        count = 0
    }

    /// The entries, as long as nothing is added.
    @export(implementation) package var all: UnsafeBufferPointer<RecordContent.Entry> {
        unsafe UnsafeBufferPointer(start: storage.baseAddress, count: count)
    }

    /// Calls the body with each entry.
    package borrowing func forEach(_ body: (RecordContent.Entry) -> Void) {
        for index in 0..<count { unsafe body(storage[index]) }
    }

    /// Whether there is an entry of the name, byte by byte.
    borrowing func contains(name: UnsafeRawBufferPointer) -> Bool {
        for index in 0..<count
        where unsafe storage[index].name.elementsEqual(name) {
            return true
        }
        return false
    }

    @inline(never)
    private mutating func grow() {
        let larger = UnsafeMutableBufferPointer<RecordContent.Entry>.allocate(capacity: count * 2)
        _ = unsafe larger.moveInitialize(fromContentsOf: storage)
        unsafe storage.deallocate()
        unsafe storage = larger
    }
}
