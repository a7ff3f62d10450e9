// SPDX-License-Identifier: Apache-2.0

public import CWinnow

/// The sizes and the memory of the encoder.
@usableFromInline
package enum Encoder {
    /// The most interpolations of a message that is written into the log call's own buffer.
    @usableFromInline package static var maximumInline: Int {
        @inlinable @inline(__always) get { 40 }
    }

    /// The bytes that every armed cursor, and every detached buffer, has room for beyond its
    /// strings: 40 interpolations of at most 48 bytes, 8 fields of 24, what is special, tags.
    package static let reserve = 4_096

    /// The token of a message that is a literal and in no buffer: even, unlike those of calls.
    @usableFromInline package static var literalToken: UInt64 {
        @inlinable @inline(__always) get { .max - 1 }
    }

    /// Where the log call of this thread wants its message; nil where none waits for one.
    @inlinable
    @inline(__always)
    package static func takeCursor() -> (position: UnsafeMutableRawPointer, token: UInt64)? {
        let token = cwinnow_cursor_token()
        guard token & 1 != 0, let position = unsafe cwinnow_cursor_take() else { return nil }
        return (UnsafeMutableRawPointer(position), token)
    }

    /// Makes a buffer for a message with so many interpolations.
    @usableFromInline
    @inline(never)
    package static func makeBuffer(interpolationCount: Int) -> DetachedBuffer {
        let reserve = reserve + interpolationCount * 64
        return DetachedBuffer(capacity: RecordHeader.byteCount + reserve, reserve: reserve)
    }

    /// What of an encoder a text may change.
    @usableFromInline
    package typealias Place = (
        position: UnsafeMutableRawPointer, tagSlot: UnsafeMutableRawPointer, token: UInt64,
        owner: DetachedBuffer?
    )

    /// Appends the length and the UTF-8 of a text for an encoder with these properties; returns
    /// what they are then.
    @usableFromInline
    @inline(never)
    package static func place(
        _ text: String,
        at position: UnsafeMutableRawPointer,
        tagSlot: UnsafeMutableRawPointer,
        _ token: UInt64,
        _ owner: consuming DetachedBuffer?
    ) -> Place {
        if owner == nil, let end = unsafe copy(text, to: position) {
            return unsafe (end, tagSlot, token, nil)
        }
        var encoder = unsafe LogMessage.StringInterpolation((position, tagSlot, 0, 0, owner, token))
        encoder.appendBytes(text)
        return unsafe (encoder.position, encoder.tagSlot, encoder.token, encoder.owner)
    }

    /// Writes the length and the UTF-8 of a text into the buffer of the open log call.
    ///
    /// Returns where they end; nil where they do not fit, or lie in memory in no one piece.
    @inline(__always)
    private static func copy(
        _ text: String,
        to position: UnsafeMutableRawPointer
    ) -> UnsafeMutableRawPointer? {
        unsafe text.utf8.withContiguousStorageIfAvailable { bytes in
            guard let source = bytes.baseAddress else { return nil }
            // SAFETY: the call looks whether the bytes fit, and the reserve behind them.
            let end = unsafe cwinnow_cursor_put(position, source, bytes.count, reserve)
            return UnsafeMutableRawPointer(end)
        } ?? nil
    }

    /// Where the arguments begin in a message's own buffer.
    @usableFromInline
    package static func start(of buffer: DetachedBuffer) -> UnsafeMutableRawPointer {
        unsafe buffer.base + RecordHeader.byteCount
    }
}

extension LogMessage.StringInterpolation {
    /// Notes the kind of the next item.
    @inlinable
    @inline(__always)
    package mutating func appendKind(_ kind: UInt64) {
        if _slowPath(shift == 60) { self = beginningTagWord() }
        tags |= kind &<< shift
        shift &+= 4
    }

    @inlinable
    @inline(__always)
    package mutating func appendWord(_ word: UInt64) {
        unsafe position.storeBytes(of: word, as: UInt64.self)
        unsafe position += 8
    }

    /// Writes a message that is a literal into the buffer of the log call that waits for one, or
    /// into one of its own.
    @inlinable
    @inline(__always)
    package mutating func placeLiteral() {
        let address = unsafe UInt64(UInt(bitPattern: position))
        let count = tags
        self = LogMessage.StringInterpolation(literalCapacity: 0, interpolationCount: 0)
        if count == 0 { return }
        appendKind(EncodedKind.literal)
        appendWord(address | count &<< 48)
    }

    /// Appends a text that lives as long as the program, by its address.
    @inlinable
    @inline(__always)
    package mutating func appendText(_ text: StaticString, kind: UInt64) {
        if text.hasPointerRepresentation && text.utf8CodeUnitCount <= 0xFFFF {
            appendKind(kind)
            let address = unsafe UInt64(UInt(bitPattern: text.utf8Start))
            appendWord(address | UInt64(text.utf8CodeUnitCount) &<< 48)
        } else {
            appendLongText(text, kind: kind)
        }
    }

    /// Appends the length and the UTF-8 of a text.
    ///
    /// What is called out of line takes and returns values, so that the encoder of a call stays in
    /// registers. There is no branch here: the optimizer would double what follows it, and the table
    /// of log statements would name the literals twice.
    @inlinable
    @inline(__always)
    package mutating func appendString(_ text: String) {
        let placed = unsafe Encoder.place(text, at: position, tagSlot: tagSlot, token, owner)
        unsafe position = placed.position
        unsafe tagSlot = placed.tagSlot
        token = unsafe placed.token
        owner = unsafe placed.owner
    }

    /// Appends a literal that one word cannot describe: by value.
    @usableFromInline
    @inline(never)
    package mutating func appendLongText(_ text: StaticString, kind: UInt64) {
        appendKind(kind == EncodedKind.literal ? EncodedKind.string : EncodedKind.ownField)
        appendBytes(text.description)
    }

    @inlinable
    @inline(__always)
    package mutating func appendName(_ name: StaticString) {
        if name.utf8CodeUnitCount != 0 { appendText(name, kind: EncodedKind.name) }
    }

    @inlinable
    @inline(__always)
    package mutating func appendOptions(_ word: UInt64) {
        if word == 0 { return }
        appendKind(EncodedKind.options)
        appendWord(word)
    }

    /// Appends a field whose name is a literal.
    @inlinable
    @inline(__always)
    package mutating func appendField<Value>(_ name: StaticString, _ value: Value) {
        appendText(name, kind: EncodedKind.field)
        appendValue(value)
    }

    /// Appends a field as a pair.
    @inlinable
    @inline(__always)
    package mutating func appendField<Value>(_ field: (StaticString, Value)) {
        appendField(field.0, field.1)
    }

    /// Appends what a log call names by labels; nothing of what is absent.
    @inlinable
    @inline(__always)
    package mutating func append(error: (any Error)?, errno: Int32?, messageID: MessageID?) {
        if let error { appendError(error) }
        if let errno { appendErrno(errno) }
        if let messageID { appendMessageID(messageID) }
    }

    /// Appends a value by its static type; the tests fold where the type is known.
    @inlinable
    @inline(__always)
    package mutating func appendValue<Value>(_ value: Value) {
        // SAFETY: each cast is to the type that the value was just found to have.
        if Value.self == Int.self {
            appendInteger(Int64(unsafe unsafeBitCast(value, to: Int.self)))
        } else if Value.self == String.self {
            appendKind(EncodedKind.string)
            appendString(unsafe unsafeBitCast(value, to: String.self))
        } else if Value.self == Double.self {
            appendKind(EncodedKind.double)
            appendWord(unsafe unsafeBitCast(value, to: Double.self).bitPattern)
        } else if Value.self == Bool.self {
            appendKind(EncodedKind.bool)
            appendWord(unsafe unsafeBitCast(value, to: Bool.self) ? 1 : 0)
        } else {
            appendOtherValue(value)
        }
    }

    @inlinable
    @inline(__always)
    package mutating func appendInteger(_ value: Int64) {
        appendKind(EncodedKind.integer)
        appendWord(UInt64(bitPattern: value))
    }

    /// Appends a value of a type that is less common; the tests fold where the type is known.
    @inlinable
    @inline(__always)
    package mutating func appendOtherValue<Value>(_ value: Value) {
        // SAFETY: each cast is to the type that the value was just found to have.
        if Value.self == Int64.self {
            appendInteger(unsafe unsafeBitCast(value, to: Int64.self))
        } else if Value.self == Int32.self {
            appendInteger(Int64(unsafe unsafeBitCast(value, to: Int32.self)))
        } else if Value.self == Int16.self {
            appendInteger(Int64(unsafe unsafeBitCast(value, to: Int16.self)))
        } else if Value.self == Int8.self {
            appendInteger(Int64(unsafe unsafeBitCast(value, to: Int8.self)))
        } else if Value.self == UInt.self {
            appendUnsigned(UInt64(unsafe unsafeBitCast(value, to: UInt.self)))
        } else if Value.self == UInt64.self {
            appendUnsigned(unsafe unsafeBitCast(value, to: UInt64.self))
        } else if Value.self == UInt32.self {
            appendUnsigned(UInt64(unsafe unsafeBitCast(value, to: UInt32.self)))
        } else if Value.self == UInt16.self {
            appendUnsigned(UInt64(unsafe unsafeBitCast(value, to: UInt16.self)))
        } else if Value.self == UInt8.self {
            appendUnsigned(UInt64(unsafe unsafeBitCast(value, to: UInt8.self)))
        } else if Value.self == Float.self {
            appendKind(EncodedKind.float)
            appendWord(UInt64(unsafe unsafeBitCast(value, to: Float.self).bitPattern))
        } else {
            appendDescription(of: value)
        }
    }

    @inlinable
    @inline(__always)
    package mutating func appendUnsigned(_ value: UInt64) {
        appendKind(EncodedKind.unsigned)
        appendWord(value)
    }
}
