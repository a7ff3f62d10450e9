// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// A record that was logged from within a sink, until the sink has returned.
@safe
struct PendingRecord {
    // SAFETY: the buffer holds a header and the arguments behind it, and is never written again.

    private let buffer: DetachedBuffer
    /// The configuration by which it has its numbers, which is never freed.
    let plan: Unmanaged<RoutingPlan>
    /// The sinks that it is not for, as they were running, by their bits.
    let excluded: UInt64

    /// Makes a copy of a record.
    ///
    /// - Parameters:
    ///   - header: Its header.
    ///   - arguments: Its encoding.
    ///   - plan: The configuration by which it has its numbers.
    ///   - excluded: The slots that it is not for.
    init(
        _ header: RecordHeader,
        arguments: UnsafeRawPointer,
        plan: Unmanaged<RoutingPlan>,
        excluded: UInt64
    ) {
        let offset = RecordHeader.byteCount
        let size = Int(header.byteCount)
        buffer = DetachedBuffer(capacity: size)
        unsafe buffer.base.storeBytes(of: header, as: RecordHeader.self)
        unsafe (buffer.base + offset).copyMemory(from: arguments, byteCount: size - offset)
        unsafe self.plan = unsafe plan
        self.excluded = excluded
    }

    /// Keeps its memory for as long as the process runs.
    func keepForGood() { buffer.keepForGood() }

    /// The header, for as long as this is kept.
    var header: UnsafePointer<RecordHeader> {
        unsafe UnsafePointer(buffer.base.assumingMemoryBound(to: RecordHeader.self))
    }

    /// The encoding.
    var arguments: UnsafeMutableRawPointer { unsafe buffer.base + RecordHeader.byteCount }
}
