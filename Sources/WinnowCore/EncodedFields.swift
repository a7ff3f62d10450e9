// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// Fields of a logger or of a task, encoded once and copied into each record after the record's own
/// fields, which win where names are equal.
///
/// Whoever creates them must call ``deallocate()``. This is not a class, because reference counting would
/// cost a log call a quarter of its instructions.
@unsafe
package struct EncodedFields: @unchecked Sendable {
    // SAFETY: what the address leads to is never written again.
    private let start: UnsafeMutableRawPointer
    private let byteCount: Int
    /// The offset of the last tag word, and its content so far: more items may be added to it.
    private let lastTagSlot: Int
    private let lastTags: UInt64

    /// The end of a message: where its next item goes, and its last tag word, which may take more.
    package typealias End = (
        position: UnsafeMutableRawPointer, tagSlot: UnsafeMutableRawPointer, tags: UInt64
    )

    package init(_ fields: [Field]) {
        var encoder = LogMessage.StringInterpolation(detachedFor: 2 * fields.count)
        encoder.appendSpecial(.context)
        encoder.appendFields(fields)
        encoder.close()
        let source = unsafe encoder.startOfArguments
        unsafe byteCount = unsafe encoder.position - source
        unsafe lastTagSlot = unsafe encoder.tagSlot - source
        unsafe lastTags = encoder.tags
        unsafe start = .allocate(byteCount: byteCount, alignment: 8)
        unsafe start.copyMemory(from: source, byteCount: byteCount)
        // The memory is that of an object which the encoder does not need any more.
        withExtendedLifetime(encoder.owner) {}
    }

    /// Gives the memory back.
    package func deallocate() {
        unsafe start.deallocate()
    }

    /// Copies the fields behind a message that lies in the buffer of the thread's log call.
    ///
    /// - Parameter end: The end of the message, whose last tag word is written.
    /// - Returns: Its end then, the same; nil where there is no room, and nothing was done.
    package func copy(behind end: End) -> End? {
        let limit = unsafe UnsafeMutableRawPointer(cwinnow_cursor_limit())
        guard let limit = unsafe limit,
            unsafe limit - end.position >= byteCount + Encoder.reserve
        else { return nil }
        return unsafe put(behind: end)
    }

    /// Copies them where there is room.
    fileprivate func put(behind end: End) -> End {
        let shift = unsafe LogMessage.StringInterpolation.shift(of: end.tags)
        let tags = unsafe end.tags | EncodedKind.more &<< shift
        unsafe end.tagSlot.storeBytes(of: tags, as: UInt64.self)
        unsafe end.position.copyMemory(from: start, byteCount: byteCount)
        return unsafe (end.position + byteCount, end.position + lastTagSlot, lastTags)
    }

    /// Appends the fields to a message, which gets memory of its own where there is no room.
    package func append(to message: inout LogMessage.StringInterpolation) {
        unsafe message.makeRoom(byteCount)
        let end = unsafe put(behind: (message.position, message.tagSlot, message.tags))
        unsafe message.position = end.position
        unsafe message.tagSlot = end.tagSlot
        message.tags = unsafe end.tags
        message.shift = unsafe LogMessage.StringInterpolation.shift(of: end.tags)
    }
}
