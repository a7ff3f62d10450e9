// SPDX-License-Identifier: Apache-2.0

public import CWinnow

/// The kinds of item in a record's encoding.
///
/// A record's arguments are encoded once, by the caller, as words of eight bytes:
/// a tag word of sixteen 4-bit kinds, least significant first, then the items in the order of
/// their kinds; the kind ``more`` is followed by the next tag word. After inlining a tag word is a
/// constant of the call site. A literal is one word, its address in bits 0…47 and its length in
/// bits 48…63; a string is a word with its length and then its UTF-8, padded to eight bytes.
///
/// Source: hot-path study, "The design".
@usableFromInline
package enum EncodedKind {
    /// No more items.
    @usableFromInline package static var end: UInt64 { @inlinable @inline(__always) get { 0 } }
    /// A literal of the message: one word.
    @usableFromInline package static var literal: UInt64 { @inlinable @inline(__always) get { 1 } }
    /// An `Int64`.
    @usableFromInline package static var integer: UInt64 { @inlinable @inline(__always) get { 2 } }
    /// A `UInt64`.
    @usableFromInline package static var unsigned: UInt64 { @inlinable @inline(__always) get { 3 } }
    /// The bits of a `Double`.
    @usableFromInline package static var double: UInt64 { @inlinable @inline(__always) get { 4 } }
    /// The bits of a `Float`, in the lower half.
    @usableFromInline package static var float: UInt64 { @inlinable @inline(__always) get { 5 } }
    /// 0 or 1.
    @usableFromInline package static var bool: UInt64 { @inlinable @inline(__always) get { 6 } }
    /// A string.
    @usableFromInline package static var string: UInt64 { @inlinable @inline(__always) get { 7 } }
    /// An absent value; no word.
    @usableFromInline package static var null: UInt64 { @inlinable @inline(__always) get { 8 } }
    /// The name of the next value, which is a part of the message: one literal word.
    @usableFromInline package static var name: UInt64 { @inlinable @inline(__always) get { 9 } }
    /// The name of the next value, which is no part of the message: one literal word.
    @usableFromInline package static var field: UInt64 { @inlinable @inline(__always) get { 10 } }
    /// The same with a name that is a string.
    @usableFromInline package static var ownField: UInt64 {
        @inlinable @inline(__always) get { 11 }
    }
    /// How the next value is written: see ``EncodedOptions``; one word.
    @usableFromInline package static var options: UInt64 { @inlinable @inline(__always) get { 12 } }
    /// A word with an ``EncodedSpecial``, then what it says.
    @usableFromInline package static var special: UInt64 { @inlinable @inline(__always) get { 13 } }
    /// The next tag word.
    @usableFromInline package static var more: UInt64 { @inlinable @inline(__always) get { 15 } }
}

/// What follows a ``EncodedKind/special``.
@usableFromInline
package enum EncodedSpecial: UInt64 {
    /// An errno value: one word.
    case errno = 1
    /// The description of an error: a string.
    case error = 2
    /// A journal message identifier: a string.
    case messageID = 3
    /// The file and the function of the call, where they are no literals: two strings.
    case location = 4
    /// What follows are the fields of the logger and of the task: one whose name the record has
    /// already is left out.
    case context = 5
}

/// The word that says how a value is written.
///
/// Bits 0…7 the code of a ``LogPrivacy``, 8…23 that of a ``LogAlignment``, 24…31 a
/// ``Format``, 32…63 the code of the format.
@usableFromInline
package enum EncodedOptions {
    /// The type of the format in bits 32…63, in bits 24…31; 0 if there is none.
    @usableFromInline
    package enum Format {
        /// That of an integer.
        @usableFromInline package static var integer: UInt64 {
            @inlinable @inline(__always) get { 1 }
        }
        /// That of a floating-point number.
        @usableFromInline package static var float: UInt64 {
            @inlinable @inline(__always) get { 2 }
        }
        /// That of a Boolean.
        @usableFromInline package static var bool: UInt64 {
            @inlinable @inline(__always) get { 3 }
        }
    }

    @inlinable
    @inline(__always)
    package static func word(
        _ privacy: LogPrivacy,
        _ alignment: LogAlignment,
        format: UInt64 = 0,
        code: UInt32 = 0
    ) -> UInt64 {
        UInt64(privacy.code) | UInt64(alignment.code) &<< 8 | format &<< 24 | UInt64(code) &<< 32
    }
}

/// A text that lives as long as the program, in one word: its address in bits 0…47 and its length
/// in bytes in bits 48…63.
@frozen
@usableFromInline
package struct EncodedLiteral: Sendable, Equatable {
    @usableFromInline package let word: UInt64

    @inlinable
    @inline(__always)
    package init(word: UInt64) {
        self.word = word
    }

    /// Refers to a text by its address: to at most its first 65,535 bytes, and to nothing if it has no
    /// address, as the compiler makes a text of a single scalar.
    @inlinable
    @inline(__always)
    package init(_ text: StaticString) {
        guard text.hasPointerRepresentation else {
            word = 0
            return
        }
        let count = text.utf8CodeUnitCount
        word = unsafe EncodedLiteral.word(text.utf8Start, count > 0xFFFF ? 0xFFFF : count)
    }

    @inlinable
    @inline(__always)
    static func word(_ address: UnsafePointer<UInt8>, _ count: Int) -> UInt64 {
        UInt64(UInt(bitPattern: address)) | UInt64(count) &<< 48
    }

    /// The text.
    @inlinable package var bytes: UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(
            start: UnsafeRawPointer(bitPattern: UInt(word & 0xFFFF_FFFF_FFFF)),
            count: Int(word &>> 48)
        )
    }
}

/// What the pipeline and the call site know of a record besides its arguments.
///
/// In a record that is stored outside of a ring, it precedes the arguments. Its last part is what the call
/// writes in front of its arguments: so the header is completed in place, and a record that is delivered
/// at once is not copied.
@frozen
@safe
@usableFromInline
package struct RecordHeader {
    /// The bytes that are kept for a header in front of an encoding that is kept.
    @usableFromInline package static var byteCount: Int {
        @inlinable @inline(__always) get { callOffset + CallHeader.byteCount }
    }

    /// Where in a header that of its call begins.
    @usableFromInline package static var callOffset: Int {
        @inlinable @inline(__always) get { 32 }
    }

    /// The number of the record; 0 for one that the pipeline made itself.
    @usableFromInline package var sequence: UInt64 = 0
    /// The number of the record among those of its level; 0 as above.
    @usableFromInline package var levelSequence: UInt64 = 0
    @usableFromInline package var threadID: Int32 = 0
    @usableFromInline package var processID: Int32 = 0
    /// What tells this run of the process from others.
    @usableFromInline package var run: UInt32 = 0
    /// 1 in a record that is kept and that a sink has logged, 0 in another that is kept.
    @usableFromInline package var isOfSink: UInt32 = 0
    /// What the call has written, with the time in the place of the stamp.
    @usableFromInline var call: CallHeader

    /// Creates the header of a record whose call has written the header, with arguments of so many
    /// bytes.
    @inlinable
    package init(at call: UnsafePointer<CallHeader>, argumentByteCount: UInt64) {
        self.call = unsafe call.pointee
        byteCount = UInt64(Self.byteCount) + argumentByteCount
    }
}

extension RecordHeader {
    /// Creates a header for a category and a level, with the place of the statement.
    package init(
        category: UnsafeMutablePointer<cwinnow_category>,
        level: Level,
        file: EncodedLiteral = EncodedLiteral(""),
        function: EncodedLiteral = EncodedLiteral(""),
        line: UInt32 = 0
    ) {
        call = unsafe CallHeader(
            category: category,
            file: file,
            function: function,
            place: StatementPlace(line: line, column: 0, level: level.rawValue)
        )
    }

    /// Header and arguments together, in bytes.
    @inlinable package var byteCount: UInt64 {
        get { call.ringWord }
        set { call.ringWord = newValue }
    }

    /// Nanoseconds since 1970.
    @inlinable package var timestamp: UInt64 {
        get { call.stamp }
        set { call.stamp = newValue }
    }

    /// The severity.
    @inlinable package var level: Level {
        // SAFETY: the statement has made the place of a level.
        unsafe unsafeBitCast(call.place.level, to: Level.self)
    }

    @inlinable package var category: UnsafeMutablePointer<cwinnow_category> {
        unsafe call.category
    }

    @inlinable package var file: EncodedLiteral {
        get { call.file }
        set { call.file = newValue }
    }

    @inlinable package var function: EncodedLiteral { call.function }

    @inlinable package var line: UInt32 {
        get { call.place.line }
        set { call.place = call.place.inLine(newValue) }
    }
}
