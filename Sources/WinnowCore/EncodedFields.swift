// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// Fields of a logger or of a task, encoded once and copied into each record after the record's own
/// fields, which win where names are equal.
///
/// Whoever creates them must call ``deallocate()``. This is not a class, because reference counting would
/// cost a log call a quarter of its instructions.
@unsafe
package struct EncodedFields: @unchecked Sendable {
    // SAFETY: what the addresses lead to is never written again.

    /// One encoding of them.
    @unsafe
    fileprivate struct Encoding {
        let start: UnsafeMutableRawPointer
        let byteCount: Int
        /// The offset of the last tag word, and its content so far: more items may be added to it.
        let lastTagSlot: Int
        let lastTags: UInt64

        init(_ fields: [Field]) {
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
    }

    /// As the fields are, and as they are where the process records: the recorder may begin when they are there.
    private let encodings: UnsafeMutablePointer<Encoding>

    /// The end of a message: where its next item goes, and its last tag word, which may take more.
    package typealias End = (
        position: UnsafeMutableRawPointer, tagSlot: UnsafeMutableRawPointer, tags: UInt64
    )

    package init(_ fields: [Field]) {
        unsafe encodings = .allocate(capacity: 2)
        unsafe encodings.initialize(to: Encoding(fields))
        let isAnyPrivate = fields.contains { $0.privacy != .public }
        let masked = unsafe isAnyPrivate ? Encoding(fields.map(\.masked)) : encodings[0]
        unsafe (encodings + 1).initialize(to: masked)
    }

    /// Gives the memory back.
    package func deallocate() {
        unsafe encodings[0].start.deallocate()
        if unsafe encodings[1].start != encodings[0].start {
            unsafe encodings[1].start.deallocate()
        }
        unsafe encodings.deallocate()
    }

    private var current: UnsafeMutablePointer<Encoding> {
        @inline(__always) get { unsafe encodings + (cwinnow_recorder_masks() ? 1 : 0) }
    }

    /// Copies the fields behind a message that lies in the buffer of the thread's log call.
    ///
    /// - Parameter end: The end of the message, whose last tag word is written.
    /// - Returns: Its end then, the same; nil where there is no room, and nothing was done.
    package func copy(behind end: End) -> End? {
        let encoding = unsafe current.pointee
        let limit = unsafe UnsafeMutableRawPointer(cwinnow_cursor_limit())
        guard let limit = unsafe limit,
            unsafe limit - end.position >= encoding.byteCount + Encoder.reserve
        else { return nil }
        return unsafe encoding.put(behind: end)
    }

    /// Appends the fields to a message, which gets memory of its own where there is no room.
    package func append(to message: inout LogMessage.StringInterpolation) {
        let encoding = unsafe current.pointee
        unsafe message.makeRoom(encoding.byteCount)
        let end = unsafe encoding.put(
            behind: (message.position, message.tagSlot, message.tags)
        )
        unsafe message.position = end.position
        unsafe message.tagSlot = end.tagSlot
        message.tags = unsafe end.tags
        message.shift = unsafe LogMessage.StringInterpolation.shift(of: end.tags)
    }
}

extension EncodedFields.Encoding {
    /// Copies them where there is room.
    @inline(__always)
    fileprivate func put(behind end: EncodedFields.End) -> EncodedFields.End {
        let shift = unsafe LogMessage.StringInterpolation.shift(of: end.tags)
        let tags = unsafe end.tags | EncodedKind.more &<< shift
        unsafe end.tagSlot.storeBytes(of: tags, as: UInt64.self)
        unsafe end.position.copyMemory(from: start, byteCount: byteCount)
        return unsafe (end.position + byteCount, end.position + lastTagSlot, lastTags)
    }
}

extension Field {
    /// The field with what stands in the place of its value, if that is private.
    fileprivate var masked: Field {
        let options = EncodedOptions.word(privacy, .none)
        guard let mask = PrivacyPolicy.ofParts.mask(for: options) else { return self }
        return Field(name, .string(value.text(maskedBy: mask)))
    }
}
