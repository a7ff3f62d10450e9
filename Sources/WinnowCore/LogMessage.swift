// SPDX-License-Identifier: Apache-2.0

public import CWinnow

/// The message of a log call: a literal with interpolated values.
///
/// ```swift
/// log.notice("listening on \(host):\(port, as: "port")")
/// ```
/// Its literals are never copied, and its values are encoded once, without formatting, into the
/// buffer of the log call. A `String` is no message, and the compiler says that it cannot be converted:
/// for a text that is not a literal, write `"\(text)"`, or use ``init(verbatim:)``.
///
/// You can keep a message in a variable and log it later, any number of times, from any thread. Create
/// a message with values before the call, not inside its argument. A `lazy` or `static` variable that
/// the argument is the first to access creates it too late: the log then has a sentence that says
/// so in place of the message. Sendable; creating one is MT-Safe and AS-Unsafe.
@frozen
public struct LogMessage: ExpressibleByStringInterpolation, Sendable {
    @usableFromInline package var encoder: StringInterpolation

    /// Creates a message of one literal.
    @export(implementation)
    @inline(__always)
    public init(stringLiteral value: StaticString) {
        value.noteInTable()
        if value.hasPointerRepresentation && value.utf8CodeUnitCount <= 0xFFFF {
            encoder = StringInterpolation(literal: value)
        } else {
            encoder = StringInterpolation(literalCapacity: 0, interpolationCount: 0)
            encoder.appendLiteral(value)
        }
    }

    /// Creates a message of literals and values.
    @export(implementation)
    @inline(__always)
    public init(stringInterpolation: StringInterpolation) {
        encoder = stringInterpolation
    }

    /// Creates a message from a text that is known only at run time.
    ///
    /// It contains the text as it is. Unlike in a format of printf(3), nothing in the text has a
    /// special meaning; each sink makes control characters harmless.
    @export(implementation)
    public init(verbatim text: String) {
        encoder = StringInterpolation(literalCapacity: 0, interpolationCount: 1)
        encoder.appendInterpolation(text)
    }

    /// Creates a message of bytes that may be anything.
    package init(verbatimBytes bytes: UnsafeRawBufferPointer) {
        encoder = StringInterpolation(literalCapacity: 0, interpolationCount: 1)
        unsafe encoder.appendText(bytes)
    }
}

extension LogMessage {
    /// The encoder of a message's arguments; the compiler calls it.
    ///
    /// It has six stored properties and no more: with a seventh the optimizer copies it through
    /// calls (hot-path study, trap 1).
    ///
    /// MT-Unsafe: one thread creates a message. AS-Unsafe: it may allocate, and values describe
    /// themselves.
    @frozen
    @safe
    public struct StringInterpolation: StringInterpolationProtocol, @unchecked Sendable {
        // SAFETY: the pointers point into the buffer of the open log call of this thread, which
        // the token proves, or into `owner`, which is copied before a shared one is written to.

        /// A segment of the message, of which only the address is kept.
        public typealias StringLiteralType = StaticString

        /// Where the next item goes.
        @usableFromInline package var position: UnsafeMutableRawPointer
        /// Where the open tag word goes.
        @usableFromInline package var tagSlot: UnsafeMutableRawPointer
        @usableFromInline package var tags: UInt64
        /// The bit of the next kind in the open tag word.
        @usableFromInline package var shift: UInt64
        /// The message's own memory, where it is not written into the log call's.
        @usableFromInline package var owner: DetachedBuffer?
        /// The token of the log call in whose buffer it was begun; 0 where that was in memory of
        /// its own.
        @usableFromInline package var token: UInt64

        /// Begins a message, in the buffer of the log call that waits for one, or in one of its own.
        @export(implementation)
        @inline(__always)
        public init(literalCapacity: Int, interpolationCount: Int) {
            unsafe (position, tagSlot, token, owner) = beginMessage()
            tags = 0
            shift = 0
        }

        /// Keeps a literal by its address, in no buffer: a message without values may be made in
        /// the argument of one call and logged by another.
        @export(implementation)
        @inline(__always)
        init(literal: StaticString) {
            tags = EncodedLiteral(literal).word
            shift = Encoder.literalShift
            // No place that is written to.
            unsafe position = UnsafeMutableRawPointer(mutating: literal.utf8Start)
            unsafe tagSlot = position
            owner = nil
            token = 0
        }

        /// Where the next item of a tag word goes.
        static func shift(of tags: UInt64) -> UInt64 {
            UInt64((64 - tags.leadingZeroBitCount + 3) & ~3)
        }

        /// Puts a message together again of what a log call hands over at its end.
        ///
        /// The shift is that of the tags, as no kind of item is 0.
        package init(
            _ position: UnsafeMutableRawPointer,
            _ tagSlot: UnsafeMutableRawPointer,
            _ tags: UInt64,
            _ owner: consuming DetachedBuffer?
        ) {
            unsafe self.position = position
            unsafe self.tagSlot = tagSlot
            self.tags = tags
            shift = Self.shift(of: tags)
            self.owner = owner
            token = 0
        }

        /// Begins a message in a buffer of its own, whatever log call is open on this thread.
        package init(detachedFor interpolationCount: Int) {
            let buffer = Encoder.makeBuffer(interpolationCount: interpolationCount)
            unsafe tagSlot = Encoder.start(of: buffer)
            unsafe position = tagSlot + 8
            owner = buffer
            token = 0
            tags = 0
            shift = 0
        }

        /// Appends a segment between values.
        @export(implementation)
        @inline(__always)
        public mutating func appendLiteral(_ literal: StaticString) {
            if literal.utf8CodeUnitCount == 0 { return }
            literal.noteInTable()
            appendText(literal, kind: EncodedKind.literal)
        }
    }
}

extension StaticString {
    /// Notes the literal in the program's table of log statements, which `winnow stripped` reads.
    @export(implementation)
    @inline(always)
    func noteInTable() {
        guard hasPointerRepresentation else { return }
        unsafe cwinnow_statement_note_text(
            utf8Start,
            UInt32(truncatingIfNeeded: utf8CodeUnitCount)
        )
    }
}

extension LogMessage.StringInterpolation {
    /// Appends a value, of any type, as it is.
    @export(implementation)
    @inline(__always)
    public mutating func appendInterpolation<Value>(_ value: Value) {
        appendValue(value, isField: false)
    }

    /// Appends an optional value: the message has the value itself, or `nil`.
    @export(implementation)
    @inline(__always)
    public mutating func appendInterpolation<Value>(_ value: Value?) {
        if let value { appendValue(value, isField: false) } else { appendKind(EncodedKind.null) }
    }

    /// Appends a value, of any type.
    ///
    /// - Parameters:
    ///   - value: Numbers, Booleans and texts keep their type as a field; everything else is
    ///     described at once, because its value may change later.
    ///   - name: Makes the value a field of the record as well; an array or a dictionary is then JSON
    ///     in the message too.
    ///   - align: Pads the value in the message.
    ///   - privacy: Whether the value may appear in the log.
    @export(implementation)
    @inline(__always)
    public mutating func appendInterpolation<Value>(
        _ value: Value,
        as name: StaticString = "",
        align: LogAlignment = .none,
        privacy: LogPrivacy = .public
    ) {
        appendName(name)
        let isField = name.utf8CodeUnitCount != 0
        appendValue(value, isField: isField, options: EncodedOptions.word(privacy, align), privacy)
    }

    /// Appends an optional value: the message has the value itself, or `nil`.
    @export(implementation)
    @inline(__always)
    public mutating func appendInterpolation<Value>(
        _ value: Value?,
        as name: StaticString = "",
        align: LogAlignment = .none,
        privacy: LogPrivacy = .public
    ) {
        appendName(name)
        let options = EncodedOptions.word(privacy, align)
        let isField = name.utf8CodeUnitCount != 0
        if let value {
            appendValue(value, isField: isField, options: options, privacy)
        } else {
            appendNull(options: options, privacy)
        }
    }

    /// Appends the text of another message, without its fields.
    public mutating func appendInterpolation(_ message: LogMessage) {
        appendNested(message)
    }

    /// Appends an integer in the given format.
    @export(implementation)
    @inline(__always)
    public mutating func appendInterpolation<Value: FixedWidthInteger>(
        _ value: Value,
        as name: StaticString = "",
        format: LogIntegerFormat,
        align: LogAlignment = .none,
        privacy: LogPrivacy = .public
    ) {
        appendName(name)
        let type = EncodedOptions.Format.integer
        let options = EncodedOptions.word(privacy, align, format: type, code: format.code)
        appendValue(value, isField: true, options: options, privacy)
    }

    /// Appends a floating-point number in the given format.
    @export(implementation)
    @inline(__always)
    public mutating func appendInterpolation<Value: BinaryFloatingPoint>(
        _ value: Value,
        as name: StaticString = "",
        format: LogFloatFormat,
        align: LogAlignment = .none,
        privacy: LogPrivacy = .public
    ) {
        appendName(name)
        let type = EncodedOptions.Format.float
        let options = EncodedOptions.word(privacy, align, format: type, code: format.code)
        appendValue(value, isField: true, options: options, privacy)
    }

    /// Appends a Boolean in the given words.
    @export(implementation)
    @inline(__always)
    public mutating func appendInterpolation(
        _ value: Bool,
        as name: StaticString = "",
        format: LogBoolFormat,
        align: LogAlignment = .none,
        privacy: LogPrivacy = .public
    ) {
        appendName(name)
        let type = EncodedOptions.Format.bool
        let code = UInt32(format.rawValue)
        let options = EncodedOptions.word(privacy, align, format: type, code: code)
        appendValue(value, isField: true, options: options, privacy)
    }
}
