// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// A record that lies in a ring, as the worker keeps it until the sinks have taken it.
@unsafe
struct RingRecord {
    // The first member, so that it has the address of the record: see ``encoded(_:)``.
    /// The header; at first without the numbers, and with the stamp in the place of the time.
    private(set) var header: RecordHeader
    /// The bytes in front of the arguments of a call within a call: its header, followed by the position of
    /// the outer call.
    static let nestedHeaderByteCount = CallHeader.byteCount + 8

    let arguments: UnsafeMutableRawPointer
    /// The bytes that it takes in the ring.
    let ringByteCount: UInt64
    /// The message that holds the arguments, where they are not in the ring.
    private let message: Unmanaged<DetachedBuffer>?

    private let ring: UnsafeMutablePointer<cwinnow_ring>

    /// Whether the arguments lie in a message of their own, which ``end()`` gives back.
    var isApart: Bool { unsafe message != nil }

    /// Reads a record that the thread of the ring has published.
    @inline(__always)
    init(
        at address: UnsafeMutablePointer<UInt8>,
        in ring: UnsafeMutablePointer<cwinnow_ring>,
        isNested: Bool
    ) {
        unsafe self.ring = unsafe ring
        let place = UnsafeMutableRawPointer(address)
        let call = unsafe place.assumingMemoryBound(to: CallHeader.self)
        let word = unsafe call.pointee.ringWord
        unsafe ringByteCount = word & UInt64(CWINNOW_RING_SIZE)
        let offset = isNested ? unsafe Self.nestedHeaderByteCount : CallHeader.byteCount
        let body = unsafe place + offset
        let byteCount = unsafe ringByteCount &- UInt64(offset)
        unsafe header = RecordHeader(at: call, argumentByteCount: byteCount)
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
            let byteCount = unsafe body.load(fromByteOffset: 8, as: UInt64.self)
            unsafe header.byteCount = UInt64(RecordHeader.byteCount) + byteCount
        }
        unsafe header.threadID = unsafe ring.pointee.thread
    }

    /// A record as a sink may take it, for as long as it stays where it is.
    @inline(__always)
    static func encoded(_ record: UnsafePointer<RingRecord>) -> EncodedRecord {
        let header = unsafe UnsafeRawPointer(record).assumingMemoryBound(to: RecordHeader.self)
        return unsafe EncodedRecord(header: header, arguments: record.pointee.arguments)
    }

    /// When it was logged: see ``StampClock``.
    var stamp: UInt64 { unsafe header.timestamp }

    /// Gives the record its time, in nanoseconds since 1970.
    @inline(__always)
    mutating func setTime(_ time: UInt64) {
        unsafe header.timestamp = time
    }

    /// Gives the record its numbers, the process and the run: see ``RecordNumbers``.
    @inline(__always)
    mutating func setNumbers(
        _ number: UInt64,
        ofLevel levelNumber: UInt64,
        process: (id: Int32, run: UInt32)
    ) {
        unsafe header.sequence = number
        unsafe header.levelSequence = levelNumber
        unsafe header.processID = process.id
        unsafe header.run = process.run
    }

    /// Ends the use of the record, which lay in the ring.
    func end() {
        guard let message = unsafe message else { return }
        unsafe cwinnow_ring_end_apart(ring, header.byteCount)
        if !cwinnow_ending_keeps_memory() { unsafe message.release() }
    }

    /// The stamp of the record at the address.
    static func stamp(at address: UnsafeRawPointer) -> UInt64 {
        unsafe address.load(fromByteOffset: 8, as: UInt64.self)
    }

    /// The position of the outer record of a call within a call that lies at the address.
    static func outerPosition(at address: UnsafeRawPointer) -> UInt64 {
        unsafe address.load(fromByteOffset: CallHeader.byteCount, as: UInt64.self)
    }

    /// Writes that position.
    static func putOuterPosition(_ position: UInt64, at address: UnsafeMutableRawPointer) {
        unsafe address.storeBytes(
            of: position,
            toByteOffset: CallHeader.byteCount,
            as: UInt64.self
        )
    }

    /// Puts a message that lies elsewhere into a record in a ring.
    ///
    /// - Parameters:
    ///   - message: The message, which is retained until the record is delivered.
    ///   - argumentByteCount: The bytes of its arguments.
    ///   - place: Where the record is.
    ///   - offset: The bytes in front of its arguments.
    /// - Returns: The end of what was written.
    static func put(
        _ message: DetachedBuffer,
        _ argumentByteCount: Int,
        at place: UnsafeMutableRawPointer,
        body offset: Int
    ) -> UnsafeMutableRawPointer {
        let body = unsafe place + offset
        unsafe body.storeBytes(
            of: UnsafeRawPointer(Unmanaged.passRetained(message).toOpaque()),
            as: UnsafeRawPointer.self
        )
        unsafe body.storeBytes(of: UInt64(argumentByteCount), toByteOffset: 8, as: UInt64.self)
        let end = unsafe body + 16
        let word = unsafe UInt64(end - place) | UInt64(CWINNOW_RING_APART)
        unsafe place.storeBytes(of: word, as: UInt64.self)
        return unsafe end
    }
}
