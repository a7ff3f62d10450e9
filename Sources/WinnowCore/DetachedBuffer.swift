// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// The memory of a message that has outgrown, or never had, the buffer of a log call.
///
/// It begins with room for a ``RecordHeader``, so that the record needs no other copy.
@safe
@usableFromInline
package final class DetachedBuffer: @unchecked Sendable {
    // SAFETY: a message that shares its buffer copies it before it writes (`Encoder.adopt`), so that
    // whoever writes is the only owner; all others only read.
    package private(set) var base: UnsafeMutableRawPointer
    package private(set) var capacity: Int

    /// The bytes that must stay free behind every text, for what follows and has a fixed size.
    package let reserve: Int

    /// Whether private values were masked when the message was begun.
    let isMasked: Bool

    /// The address behind the last byte.
    package var limit: UnsafeMutableRawPointer { unsafe base + capacity }

    /// Makes a buffer of so many bytes, the header and the reserve included.
    package convenience init(capacity: Int, reserve: Int = Encoder.reserve) {
        self.init(capacity: capacity, reserve: reserve, isMasked: cwinnow_recorder_masks())
    }

    init(capacity: Int, reserve: Int, isMasked: Bool) {
        self.isMasked = isMasked
        self.capacity = capacity
        self.reserve = reserve
        unsafe base = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit {
        unsafe base.deallocate()
    }

    /// Leaks the memory on purpose: after a fault, the thread that allocated it may be stopped with the
    /// allocator's lock held, and freeing would wait for that lock forever.
    package func keepForGood() {
        _ = unsafe Unmanaged.passRetained(self)
    }

    /// Moves the first bytes to memory of at least the given size.
    package func grow(to newCapacity: Int, keeping count: Int) {
        let newBase = UnsafeMutableRawPointer.allocate(byteCount: newCapacity, alignment: 16)
        unsafe newBase.copyMemory(from: base, byteCount: count)
        unsafe base.deallocate()
        unsafe base = newBase
        capacity = newCapacity
    }
}
