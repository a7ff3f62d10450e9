// SPDX-License-Identifier: Apache-2.0

public import CWinnow

/// The sizes and the memory of the encoder.
@usableFromInline
package enum Encoder {
    /// The room in bytes that every armed cursor and every detached buffer has beyond its strings.
    ///
    /// It suffices for the items of one tag word, after which room is checked again, 8 fields of 24 bytes,
    /// the special items, and tags.
    package static var reserve: Int {
        @inline(__always) get { Int(CWINNOW_RESERVE) }
    }

    /// The shift that marks a message which is a single literal and was not written to any buffer.
    ///
    /// The mark is in the shift and not in the token, because only the shift is a constant of the statement:
    /// so the test for a literal leaves no code.
    @usableFromInline package static var literalShift: UInt64 {
        @export(implementation) @inline(__always) get { 64 }
    }

    /// Makes a buffer for a message with so many interpolations.
    package static func makeBuffer(interpolationCount: Int) -> DetachedBuffer {
        let reserve = reserve + interpolationCount * 64
        return DetachedBuffer(capacity: RecordHeader.byteCount + reserve, reserve: reserve)
    }

    /// Where a message begins.
    @usableFromInline
    package typealias Place = (
        position: UnsafeMutableRawPointer, tagSlot: UnsafeMutableRawPointer, token: UInt64,
        owner: DetachedBuffer?
    )

    /// The properties of an encoder that change when a text is appended.
    ///
    /// All but the position are returned in the registers in which `placeText` and `closeRecord` take them,
    /// so that little is moved between the calls.
    @usableFromInline
    package typealias TextPlace = (
        position: UnsafeMutableRawPointer, tagSlot: UnsafeMutableRawPointer, owner: DetachedBuffer?
    )

    /// Writes the length and the UTF-8 of a text into the buffer of the open log call.
    ///
    /// Returns where they end; nil where they do not fit, or lie in memory in no one piece.
    @inline(__always)
    static func copy(
        _ text: String,
        to position: UnsafeMutableRawPointer
    ) -> UnsafeMutableRawPointer? {
        unsafe text.utf8.withContiguousStorageIfAvailable { bytes in
            guard let source = bytes.baseAddress else { return nil }
            // SAFETY: the call looks whether the bytes fit, and the reserve behind them.
            let end = unsafe cwinnow_cursor_put(position, source, bytes.count)
            return UnsafeMutableRawPointer(end)
        } ?? nil
    }

    /// Where the arguments begin in a message's own buffer.
    package static func start(of buffer: DetachedBuffer) -> UnsafeMutableRawPointer {
        unsafe buffer.base + RecordHeader.byteCount
    }
}

/// Begins a message: in the buffer of the log call of this thread that waits for one, or in one of its
/// own.
///
/// Inlined, as in a statement it comes at once behind the call that arms the cursor: of the test
/// nothing is left there.
@export(implementation)
@inline(__always)
package func beginMessage() -> Encoder.Place {
    let taken = unsafe cwinnow_cursor_take()
    guard let tagSlot = unsafe taken.start else { return unsafe beginDetachedMessage() }
    return unsafe (tagSlot + 8, tagSlot, taken.token, nil)
}

// What a message calls out of line. These are functions and not methods, whose metatype argument would
// make the optimizer emit each of them twice. They end with the call of the long way, so that the short
// way has no registers to save.

/// Begins a message in memory of its own.
@usableFromInline
@inline(never)
package func beginDetachedMessage() -> Encoder.Place {
    let buffer = Encoder.makeBuffer(interpolationCount: 0)
    let tagSlot = unsafe Encoder.start(of: buffer)
    return unsafe (tagSlot + 8, tagSlot, 0, buffer)
}

/// Appends the length and the UTF-8 of a text for an encoder with these properties.
///
/// Returns what they are then: a message that was in the buffer of the log call may have memory of its
/// own.
@usableFromInline
@inline(never)
package func placeText(
    _ text: String,
    _ tagSlot: UnsafeMutableRawPointer,
    _ owner: consuming DetachedBuffer?,
    _ position: UnsafeMutableRawPointer
) -> Encoder.TextPlace {
    // SAFETY: a text that is in use has the bytes that its words tell of.
    guard owner == nil,
        case let end = unsafe cwinnow_cursor_put_short(position, TextLayout.words(of: text)),
        unsafe end.is_written
    else { return unsafe placeLongText(text, tagSlot, owner, position) }
    return unsafe (end.position, tagSlot, nil)
}

@inline(never)
private func placeLongText(
    _ text: String,
    _ tagSlot: UnsafeMutableRawPointer,
    _ owner: consuming DetachedBuffer?,
    _ position: UnsafeMutableRawPointer
) -> Encoder.TextPlace {
    guard owner == nil, let end = unsafe Encoder.copy(text, to: position) else {
        return unsafe placeTextTheLongWay(text, tagSlot, owner, position)
    }
    return unsafe (end, tagSlot, nil)
}

@inline(never)
private func placeTextTheLongWay(
    _ text: String,
    _ tagSlot: UnsafeMutableRawPointer,
    _ owner: consuming DetachedBuffer?,
    _ position: UnsafeMutableRawPointer
) -> Encoder.TextPlace {
    var encoder = unsafe LogMessage.StringInterpolation(position, tagSlot, 0, owner)
    encoder.appendBytes(text)
    return unsafe (encoder.position, encoder.tagSlot, encoder.owner)
}

extension LogMessage.StringInterpolation {
    /// Notes the kind of the next item.
    @export(implementation)
    @inline(__always)
    package mutating func appendKind(_ kind: UInt64) {
        if _slowPath(shift == 60) { self = beginningTagWord() }
        tags |= kind &<< shift
        shift &+= 4
    }

    /// Chains a tag word, for which there is room.
    @export(implementation)
    @inline(__always)
    package mutating func beginTagWord() {
        unsafe tagSlot.storeBytes(of: tags | EncodedKind.more &<< shift, as: UInt64.self)
        unsafe tagSlot = position
        unsafe position += 8
        tags = 0
        shift = 0
    }

    @export(implementation)
    @inline(__always)
    package mutating func appendWord(_ word: UInt64) {
        unsafe position.storeBytes(of: word, as: UInt64.self)
        unsafe position += 8
    }

    /// Whether the message is a literal that was not written yet: see
    /// ``LogMessage/init(stringLiteral:)``.
    @export(implementation) package var isUnplacedLiteral: Bool {
        @inline(__always) get { shift == Encoder.literalShift }
    }

    /// Writes a message that is a literal into the buffer of the log call, whether or not another
    /// message has taken the cursor.
    @export(implementation)
    @inline(__always)
    package mutating func placeLiteral(in call: OpenCall) {
        cwinnow_cursor_disarm()
        unsafe call.start.storeBytes(of: tags, toByteOffset: 8, as: UInt64.self)
        unsafe tagSlot = call.start
        unsafe position = call.start + 16
        token = call.token
        tags = EncodedKind.literal
        shift = 4
    }

    /// Whether all of the message lies in the buffer of the log call: it was begun there, and has
    /// no memory of its own.
    ///
    /// The owner is compared as bits: a test for nil would make the optimizer duplicate what follows.
    @export(implementation)
    @inline(__always)
    package func isInBuffer(of call: OpenCall) -> Bool {
        // SAFETY: an object or nil is one word, which is read and not kept.
        unsafe token ^ call.token | unsafeBitCast(owner, to: UInt64.self) == 0
    }

    /// Readies the message of a log call for the fields: one that is not in the call's buffer may
    /// be shared, or left behind by an earlier call.
    ///
    /// The fields after a message with values get a tag word of their own, which is then a constant,
    /// whatever the message is.
    @export(implementation)
    @inline(__always)
    package mutating func adopt(for call: OpenCall) {
        if isUnplacedLiteral { return placeLiteral(in: call) }
        if _slowPath(!isInBuffer(of: call)) { self = adopted() }
        beginTagWord()
    }

    /// Appends a text that lives as long as the program, by its address.
    @export(implementation)
    @inline(__always)
    package mutating func appendText(_ text: StaticString, kind: UInt64) {
        if text.hasPointerRepresentation && text.utf8CodeUnitCount <= 0xFFFF {
            appendKind(kind)
            appendWord(EncodedLiteral(text).word)
        } else {
            appendLongText(text, kind: kind)
        }
    }

    /// Appends the length and the UTF-8 of a text.
    ///
    /// What is called out of line takes and returns values, so that the encoder of a call stays in
    /// registers. There is no branch here: the optimizer would double what follows it, and the table
    /// of log statements would name the literals twice.
    @export(implementation)
    @inline(__always)
    package mutating func appendString(_ text: String) {
        let own = owner.take()
        unsafe (position, tagSlot, owner) = placeText(text, tagSlot, own, position)
    }

    /// Appends a literal that one word cannot describe: by value.
    @usableFromInline
    @inline(never)
    package mutating func appendLongText(_ text: StaticString, kind: UInt64) {
        appendKind(kind == EncodedKind.literal ? EncodedKind.string : EncodedKind.ownField)
        appendBytes(text.description)
    }

    @export(implementation)
    @inline(__always)
    package mutating func appendName(_ name: StaticString) {
        if name.utf8CodeUnitCount != 0 { appendText(name, kind: EncodedKind.name) }
    }

    @export(implementation)
    @inline(__always)
    package mutating func appendOptions(_ word: UInt64) {
        if word == 0 { return }
        appendKind(EncodedKind.options)
        appendWord(word)
    }

    /// Appends a field whose name is a literal.
    @export(implementation)
    @inline(__always)
    package mutating func appendField<Value>(_ name: StaticString, _ value: Value) {
        appendText(name, kind: EncodedKind.field)
        appendValue(value)
    }

    /// Appends a field as a pair.
    @export(implementation)
    @inline(__always)
    package mutating func appendField<Value>(_ field: (StaticString, Value)) {
        appendField(field.0, field.1)
    }

    /// Appends the fields that follow pairs, if there are any.
    @export(implementation)
    @inline(__always)
    package mutating func appendFields(_ fields: Fields?) {
        if let fields { appendFields(fields.elements) }
    }

    /// Appends those labeled arguments of a log call that are present.
    ///
    /// Pass the call if the message has yet to be adopted for it; nil if that was done.
    @export(implementation)
    @inline(__always)
    package mutating func append(
        error: (any Error)?,
        errno: Int32?,
        messageID: MessageID?,
        for call: OpenCall? = nil
    ) {
        switch (error, errno, messageID) {
        case (nil, nil, nil): break
        default: self = appended(error: error, errno: errno, messageID: messageID, for: call)
        }
    }

    /// Returns the message with what a log call names by labels.
    @usableFromInline
    @inline(never)
    package consuming func appended(
        error: (any Error)?,
        errno: Int32?,
        messageID: MessageID?,
        for call: OpenCall?
    ) -> Self {
        if let call { adopt(for: call) }
        if let error { appendError(error) }
        if let errno { appendErrno(errno) }
        if let messageID { appendMessageID(messageID) }
        return self
    }

    /// Appends a value by its static type; the tests fold where the type is known.
    ///
    /// One that is nothing but a part of the message is no field.
    @export(implementation)
    @inline(__always)
    package mutating func appendValue<Value>(_ value: Value, isField: Bool = true) {
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
            appendOtherValue(value, isField: isField)
        }
    }

    @export(implementation)
    @inline(__always)
    package mutating func appendInteger(_ value: Int64) {
        appendKind(EncodedKind.integer)
        appendWord(UInt64(bitPattern: value))
    }

    /// Appends a value of a type that is less common; the tests fold where the type is known.
    @export(implementation)
    @inline(__always)
    package mutating func appendOtherValue<Value>(_ value: Value, isField: Bool) {
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
            appendDescription(of: value, isField: isField)
        }
    }

    @export(implementation)
    @inline(__always)
    package mutating func appendUnsigned(_ value: UInt64) {
        appendKind(EncodedKind.unsigned)
        appendWord(value)
    }
}
