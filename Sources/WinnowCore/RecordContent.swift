// SPDX-License-Identifier: Apache-2.0

/// A record's arguments, decoded: the text of its message and its fields.
///
/// It is filled anew for each record and keeps its memory, so that decoding allocates nothing in
/// the common case.
@safe
@usableFromInline
package struct RecordContent: ~Copyable {
    /// The value of a field, where it lies.
    @unsafe
    @usableFromInline
    package enum Value {
        /// Text in the record's encoding, or of the program.
        case text(UnsafeRawBufferPointer)
        /// Text in the content's own buffer.
        case rendered(offset: Int, count: Int)
        case integer(Int64)
        case unsigned(UInt64)
        case double(Double)
        case bool(Bool)
        case null
        /// JSON text in the record's encoding, which was valid when it was written there.
        case json(UnsafeRawBufferPointer)
    }

    /// A name and a value.
    @unsafe
    @usableFromInline
    package struct Entry {
        @usableFromInline package var name: UnsafeRawBufferPointer
        @usableFromInline package var value: Value
        /// Whether the value stands in the message as well.
        @usableFromInline package var isInMessage: Bool

        package init(name: UnsafeRawBufferPointer, value: Value, isInMessage: Bool) {
            unsafe self.name = unsafe name
            unsafe self.value = unsafe value
            unsafe self.isInMessage = isInMessage
        }
    }

    /// The message, followed by the texts of values that had to be rendered.
    @usableFromInline package var text: ByteBuffer
    /// The bytes of `text` that are the message.
    @usableFromInline package var messageLength = 0
    @usableFromInline package var entries = RecordEntries()
    /// The file and the function where the encoding holds them.
    @usableFromInline package var file: UnsafeRawBufferPointer?
    @usableFromInline package var function: UnsafeRawBufferPointer?
    /// What the decoder keeps until the end of the message.
    var rest = DecodedRest()

    /// Creates an empty content.
    package init() {
        text = ByteBuffer(capacity: 1_024)
        unsafe file = nil
        unsafe function = nil
    }

    /// Forgets the last record; gives memory back that only a giant one needed.
    @export(implementation)
    @inline(__always)
    package mutating func removeAll() {
        shrink()
        text.removeAll()
        messageLength = 0
        entries.removeAll()
        unsafe file = nil
        unsafe function = nil
    }

    /// Gives memory back that only a giant record needed, and forgets that record with it.
    @export(implementation)
    @inline(__always)
    package mutating func shrink() {
        if text.count > 1 << 20 || entries.isLarge { giveBack() }
    }

    @usableFromInline
    @inline(never)
    mutating func giveBack() {
        text = ByteBuffer(capacity: 1_024)
        entries = RecordEntries()
    }

    /// Calls the body with the bytes of a text value; nil where the value is no text.
    package borrowing func withText<Result>(
        of value: Value,
        _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result? {
        switch unsafe value {
        case .text(let bytes), .json(let bytes): unsafe body(bytes)
        case .rendered(let offset, let count):
            unsafe text.withUnsafeBytes { bytes in
                unsafe body(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]))
            }
        default: nil
        }
    }
}
