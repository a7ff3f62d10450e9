// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// Where a stream sink writes, shared with all sinks of the process that write there.
///
/// A record of which the destination has taken a part is its affair, and no longer the sink's: who
/// writes next, writes the rest first. So it is no matter which sink that is, whether of another route
/// or of the next configuration, and the record is completed also where its own sink gets no other.
@safe
struct Destination: ~Copyable {
    // SAFETY: what the pointers lead to is there as long as a sink leads to it; the lock guards it.
    private let place: UnsafeMutablePointer<DestinationState>
    private let lock: UnsafeMutablePointer<cwinnow_lock>
    private let identity: FileIdentity
    /// The number that identifies this sink.
    private let owner: UInt

    /// How long a sink waits for another one that is writing, in nanoseconds; a write itself never waits.
    static let patience: UInt64 = 20_000_000

    init(_ identity: FileIdentity) {
        self.identity = identity
        unsafe (place, owner) = unsafe DestinationTable.join(identity)
        unsafe lock = unsafe place.pointee.lock
    }

    deinit {
        unsafe DestinationTable.leave(place, to: identity)
    }

    /// Whether the next bytes begin a record; with the lock held, as for all below it.
    var isClear: Bool {
        @inline(__always) get { unsafe place.pointee.isClear }
    }

    /// Keeps other sinks from writing; false where that cannot be had in time.
    @inline(__always)
    func acquire(within time: UInt64 = patience) -> Bool {
        unsafe cwinnow_lock_acquire_within(lock, time)
    }

    @inline(__always)
    func release() {
        unsafe cwinnow_lock_release(lock)
    }

    /// Whether the rest of a record is to be written.
    var hasRest: Bool { unsafe place.pointee.owner != 0 }

    /// Whether that is one of this sink's.
    var owesRest: Bool { unsafe place.pointee.owner == owner }

    /// Keeps a record that was taken in part; the buffer is another then.
    func owe(_ record: inout ByteBuffer, from written: Int, of header: RecordHeader) {
        unsafe place.pointee.owe(&record, from: written, of: header, by: owner)
    }

    /// Writes what must precede the next record; returns 0, or the errno value if not all of it is written.
    func clear(through stream: inout OutputStream) -> Int32 {
        unsafe place.pointee.clear(through: &stream)
    }

    /// Gives up the rest of this sink's record, and returns the header; nil where there is none.
    func takeOwed() -> RecordHeader? {
        owesRest ? unsafe place.pointee.takeOwed() : nil
    }
}
