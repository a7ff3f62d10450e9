// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// What the encoder does out of line: strings, values of any type, memory.
extension LogMessage.StringInterpolation {
    /// Appends a value of a type that has no encoding of its own: by its description, at once.
    @usableFromInline
    @inline(never)
    package mutating func appendDescription<Value>(of value: Value, isField: Bool) {
        guard let hidden = value as? PrivateValue else {
            return appendFieldValue(FieldValue(describing: value, keepingStructure: isField))
        }
        append(hidden.value, options: EncodedOptions.word(hidden.privacy, .none))
    }

    /// Appends a private value of any type.
    @usableFromInline
    @inline(never)
    package mutating func appendHidden<Value>(_ value: Value, isField: Bool, options: UInt64) {
        guard !(value is PrivateValue) else {
            appendOptions(options)
            return appendDescription(of: value, isField: isField)
        }
        append(FieldValue(describing: value, keepingStructure: isField), options: options)
    }

    /// Appends a private value that is absent.
    @usableFromInline
    @inline(never)
    package mutating func appendHiddenNull(options: UInt64) {
        append(.null, options: options)
    }

    /// Appends a value with options: what stands in its place, where it is private and the process records, so that
    /// nothing private ever comes into the recorder's file.
    private mutating func append(_ value: FieldValue, options: UInt64) {
        let mask = cwinnow_recorder_masks() ? PrivacyPolicy.ofParts.mask(for: options) : nil
        guard let mask else {
            appendOptions(options)
            return appendFieldValue(value)
        }
        appendOptions(EncodedOptions.alignment(of: options))
        appendKind(EncodedKind.string)
        appendBytes(value.text(maskedBy: mask))
    }

    @usableFromInline
    @inline(never)
    package mutating func appendFieldValue(_ value: FieldValue) {
        switch value {
        case .string(let text):
            appendKind(EncodedKind.string)
            appendBytes(text)
        case .integer(let number): appendInteger(number)
        case .unsigned(let number): appendUnsigned(number)
        case .double(let number):
            appendKind(EncodedKind.double)
            appendWord(number.bitPattern)
        case .bool(let truth):
            appendKind(EncodedKind.bool)
            appendWord(truth ? 1 : 0)
        case .null: appendKind(EncodedKind.null)
        case .json(let text):
            appendKind(EncodedKind.json)
            appendBytes(text.description)
        }
    }

    /// Appends fields whose number and names are known only at run time.
    @usableFromInline
    @inline(never)
    package mutating func appendFields(_ fields: some Sequence<Field>) {
        for field in fields {
            appendKind(EncodedKind.ownField)
            appendBytes(field.name)
            append(field.value, options: EncodedOptions.word(field.privacy, .none))
        }
    }

    /// Appends an error's text, which is a field and ends the message.
    @usableFromInline
    @inline(never)
    package mutating func appendError(_ error: any Error) {
        appendSpecial(.error)
        appendBytes(ErrorText.of(error))
    }

    /// Appends an errno value, which is a field and whose text ends the message.
    @usableFromInline
    @inline(never)
    package mutating func appendErrno(_ code: Int32) {
        appendSpecial(.errno)
        appendWord(UInt64(bitPattern: Int64(code)))
    }

    /// Appends the identifier of the message in a journal catalog.
    @usableFromInline
    @inline(never)
    package mutating func appendMessageID(_ identifier: MessageID) {
        appendSpecial(.messageID)
        appendBytes(identifier.text)
    }

    /// Appends a place in the source that is no literal of this program.
    package mutating func appendLocation(file: String, function: String) {
        appendSpecial(.location)
        appendBytes(file)
        appendBytes(function)
    }

    mutating func appendSpecial(_ special: EncodedSpecial) {
        appendKind(EncodedKind.special)
        appendWord(special.rawValue)
    }

    /// Appends the length and the UTF-8 of a text.
    @usableFromInline
    @inline(never)
    package mutating func appendBytes(_ text: String) {
        // A text that was bridged or is lazy has no bytes to lend: `withUTF8` copies it first.
        var text = text
        text.withUTF8 { unsafe appendBytes($0) }
    }

    /// Appends a text that may hold anything, as bytes that are not UTF-8.
    package mutating func appendText(_ bytes: UnsafeRawBufferPointer) {
        appendKind(EncodedKind.string)
        unsafe bytes.withMemoryRebound(to: UInt8.self) { unsafe appendBytes($0) }
    }

    private mutating func appendBytes(_ bytes: UnsafeBufferPointer<UInt8>) {
        let padded = (bytes.count + 7) & ~7
        makeRoom(padded + 8)
        appendWord(UInt64(bytes.count))
        guard let source = bytes.baseAddress, bytes.count > 0 else { return }
        // SAFETY: `makeRoom` has made room for the bytes and their padding.
        unsafe position.copyMemory(from: source, byteCount: bytes.count)
        unsafe position += padded
    }

    /// Makes sure that so many bytes and the reserve fit; moves the message to a buffer of its own if the
    /// log call's is too small.
    mutating func makeRoom(_ count: Int) {
        let limit = unsafe owner?.limit ?? UnsafeMutableRawPointer(cwinnow_cursor_limit())
        // The reserve stays behind every text, so that what has a fixed size needs no test.
        let reserve = owner?.reserve ?? Encoder.reserve
        if let limit = unsafe limit, unsafe position + count + reserve <= limit { return }
        let start = unsafe startOfArguments
        let used = unsafe position - start
        let slot = unsafe tagSlot - start
        let needed = RecordHeader.byteCount + used + count + reserve
        let capacity = max(needed * 3 / 2, 2 * reserve)
        if let owner {
            owner.grow(to: capacity, keeping: RecordHeader.byteCount + used)
        } else {
            let buffer = DetachedBuffer(capacity: capacity)
            unsafe Encoder.start(of: buffer).copyMemory(from: start, byteCount: used)
            owner = buffer
        }
        token = 0
        rebase(used: used, slot: slot)
    }

    /// Returns the encoder with one more tag word.
    ///
    /// The one place that every long message passes: a custom interpolation may append any number
    /// of items, so the room is looked at here, every fifteen items.
    @usableFromInline
    @inline(never)
    package consuming func beginningTagWord() -> LogMessage.StringInterpolation {
        makeRoom(0)
        beginTagWord()
        return self
    }

    /// Where the arguments of the message begin.
    var startOfArguments: UnsafeMutableRawPointer {
        if let owner { return unsafe Encoder.start(of: owner) }
        // SAFETY: without an owner the message lies in the buffer of this thread's log call.
        return unsafe UnsafeMutableRawPointer(cwinnow_cursor_start().unsafelyUnwrapped)
    }

    private mutating func rebase(used: Int, slot: Int) {
        guard let owner else { return }
        unsafe position = Encoder.start(of: owner) + used
        unsafe tagSlot = Encoder.start(of: owner) + slot
    }

    /// Returns the message as ``adopt()`` leaves it.
    @usableFromInline
    @inline(never)
    package consuming func adopted() -> LogMessage.StringInterpolation {
        adopt()
        return self
    }

    /// Makes the message the only owner of its memory, so that fields may be appended to it; a
    /// message that was left behind by an earlier log call becomes one that says so.
    @usableFromInline
    @inline(never)
    package mutating func adopt() {
        if isUnplacedLiteral {
            let literal = tags
            self = LogMessage.StringInterpolation(detachedFor: 0)
            appendKind(EncodedKind.literal)
            return appendWord(literal)
        }
        guard owner != nil else {
            self = LogMessage.leftBehind().encoder
            return
        }
        guard !isKnownUniquelyReferenced(&owner), let shared = owner else { return }
        let start = unsafe Encoder.start(of: shared)
        let used = unsafe position - start
        let slot = unsafe tagSlot - start
        let copy = DetachedBuffer(
            capacity: shared.capacity,
            reserve: shared.reserve,
            isMasked: shared.isMasked
        )
        unsafe Encoder.start(of: copy).copyMemory(from: start, byteCount: used)
        owner = copy
        rebase(used: used, slot: slot)
    }

    /// Appends the text of another message.
    package mutating func appendNested(_ message: LogMessage) {
        var other = message.encoder
        if other.isUnplacedLiteral {
            appendKind(EncodedKind.literal)
            appendWord(other.tags)
            return
        }
        other.adopt()
        other.close()
        guard let owner = other.owner else { return }
        var content = RecordContent()
        unsafe RecordDecoder.decode(Encoder.start(of: owner), policy: .ofParts, into: &content)
        let text = unsafe content.text.withUnsafeBytes { bytes in
            unsafe String(decoding: bytes[..<content.messageLength], as: UTF8.self)
        }
        withExtendedLifetime(owner) {}
        appendKind(EncodedKind.string)
        appendBytes(text)
    }

    /// Writes the open tag word.
    @export(implementation)
    @inline(__always)
    package func close() {
        unsafe tagSlot.storeBytes(of: tags, as: UInt64.self)
    }
}

extension LogMessage {
    /// The message in place of one whose arguments are gone.
    ///
    /// Its arguments lay in the buffer of a log call that has ended: the message was built within
    /// that call's argument, kept, and logged again.
    static func leftBehind() -> LogMessage {
        LogMessage(
            verbatim: "<a message that was made in the argument of an earlier log call; make it "
                + "before the call to log it again>"
        )
    }
}
