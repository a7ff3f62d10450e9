// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// A record that lies in a ring.
@unsafe
struct RingRecord {
    /// Where a record of a call within a call holds the outer one's position: the word of the
    /// header's room that no header needs.
    static let outerOffset = RecordHeader.byteCount - 8

    /// The header, without the number.
    private(set) var header: RecordHeader
    let arguments: UnsafeMutableRawPointer
    /// The bytes that it takes in the ring.
    let ringByteCount: UInt64
    /// The message that holds the arguments, where they are not in the ring.
    private let message: Unmanaged<DetachedBuffer>?

    private let ring: UnsafeMutablePointer<cwinnow_ring>

    /// Reads a record that the thread of the ring has published.
    init(at address: UnsafeMutablePointer<UInt8>, in ring: UnsafeMutablePointer<cwinnow_ring>) {
        unsafe self.ring = unsafe ring
        let place = UnsafeMutableRawPointer(address)
        unsafe header = unsafe place.load(as: RecordHeader.self)
        let word = unsafe header.byteCount
        unsafe ringByteCount = word & UInt64(CWINNOW_RING_SIZE)
        let body = unsafe place + RecordHeader.byteCount
        if word & UInt64(CWINNOW_RING_APART) == 0 {
            unsafe message = nil
            unsafe arguments = unsafe body
        } else {
            // SAFETY: `put` has retained a message and stored its address there.
            let kept = unsafe Unmanaged<DetachedBuffer>.fromOpaque(
                body.load(as: UnsafeRawPointer.self)
            )
            unsafe message = unsafe kept
            unsafe arguments = unsafe Encoder.start(of: kept.takeUnretainedValue())
            unsafe header.byteCount = unsafe body.load(fromByteOffset: 8, as: UInt64.self)
        }
        unsafe header.threadID = unsafe ring.pointee.thread
        unsafe header.processID = cwinnow_process_id()
    }

    /// Gives the record the next number.
    mutating func number() {
        unsafe header.sequence = Pipeline.takeNumbers(1).lowerBound
    }

    /// Ends the use of the record, which lay in the ring.
    func end() {
        guard let message = unsafe message else { return }
        unsafe cwinnow_ring_end_apart(ring, header.byteCount)
        unsafe message.release()
    }

    /// The time of the record at the address.
    static func time(at address: UnsafeRawPointer) -> UInt64 {
        unsafe address.load(fromByteOffset: 8, as: UInt64.self)
    }

    /// Puts a message that lies elsewhere behind a header in a ring.
    ///
    /// - Parameters:
    ///   - message: The message, which is retained until the record is delivered.
    ///   - byteCount: The bytes of the record, a header included.
    ///   - header: Where the header is.
    /// - Returns: The end of what was written.
    static func put(
        _ message: DetachedBuffer,
        byteCount: UInt64,
        behind header: UnsafeMutableRawPointer
    ) -> UnsafeMutableRawPointer {
        let body = unsafe header + RecordHeader.byteCount
        unsafe body.storeBytes(
            of: UnsafeRawPointer(Unmanaged.passRetained(message).toOpaque()),
            as: UnsafeRawPointer.self
        )
        unsafe body.storeBytes(of: byteCount, toByteOffset: 8, as: UInt64.self)
        let end = unsafe body + 16
        let word = unsafe UInt64(end - header) | UInt64(CWINNOW_RING_APART)
        unsafe header.storeBytes(of: word, as: UInt64.self)
        return unsafe end
    }
}
