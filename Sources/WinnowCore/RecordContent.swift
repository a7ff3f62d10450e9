// SPDX-License-Identifier: Apache-2.0

/// A record's arguments, decoded: the text of its message and its fields.
///
/// It is filled anew for each record and keeps its memory, so that decoding allocates nothing in
/// the common case.
@safe
package struct RecordContent: ~Copyable {
    /// The value of a field, where it lies.
    @unsafe
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
    }

    /// A name and a value.
    @unsafe
    package struct Entry {
        package var name: UnsafeRawBufferPointer
        package var value: Value
        /// Whether the value stands in the message as well.
        package var isInMessage: Bool

        package init(name: UnsafeRawBufferPointer, value: Value, isInMessage: Bool) {
            unsafe self.name = unsafe name
            unsafe self.value = unsafe value
            unsafe self.isInMessage = isInMessage
        }
    }

    /// The message, and behind it what values needed to be rendered for.
    package var text: ByteBuffer
    /// The bytes of `text` that are the message.
    package var messageLength = 0
    package var entries: [Entry] = unsafe []
    /// The file and the function where the encoding holds them.
    package var file: UnsafeRawBufferPointer?
    package var function: UnsafeRawBufferPointer?

    /// Creates an empty content.
    package init() {
        text = ByteBuffer(capacity: 1_024)
        unsafe file = nil
        unsafe function = nil
    }

    /// Forgets the last record; gives memory back that only a giant one needed.
    package mutating func removeAll() {
        if text.count > 1 << 20 {
            text = ByteBuffer(capacity: 1_024)
        } else {
            text.removeAll()
        }
        messageLength = 0
        unsafe entries.removeAll(keepingCapacity: entries.count < 256)
        unsafe file = nil
        unsafe function = nil
    }

    /// Whether there is a field of the name, byte by byte.
    borrowing func hasEntry(named name: UnsafeRawBufferPointer) -> Bool {
        unsafe entries.contains { unsafe $0.name.elementsEqual(name) }
    }

    /// Calls the body with the bytes of a text value; nil where the value is no text.
    package borrowing func withText<Result>(
        of value: Value,
        _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result? {
        switch unsafe value {
        case .text(let bytes): unsafe body(bytes)
        case .rendered(let offset, let count):
            unsafe text.withUnsafeBytes { bytes in
                unsafe body(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]))
            }
        default: nil
        }
    }
}
