// SPDX-License-Identifier: Apache-2.0

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
    @usableFromInline package static var end: UInt64 {
        @export(implementation) @inline(__always) get { 0 }
    }
    /// A literal of the message: one word.
    @usableFromInline package static var literal: UInt64 {
        @export(implementation) @inline(__always) get { 1 }
    }
    /// An `Int64`.
    @usableFromInline package static var integer: UInt64 {
        @export(implementation) @inline(__always) get { 2 }
    }
    /// A `UInt64`.
    @usableFromInline package static var unsigned: UInt64 {
        @export(implementation) @inline(__always) get { 3 }
    }
    /// The bits of a `Double`.
    @usableFromInline package static var double: UInt64 {
        @export(implementation) @inline(__always) get { 4 }
    }
    /// The bits of a `Float`, in the lower half.
    @usableFromInline package static var float: UInt64 {
        @export(implementation) @inline(__always) get { 5 }
    }
    /// 0 or 1.
    @usableFromInline package static var bool: UInt64 {
        @export(implementation) @inline(__always) get { 6 }
    }
    /// A string.
    @usableFromInline package static var string: UInt64 {
        @export(implementation) @inline(__always) get { 7 }
    }
    /// An absent value; no word.
    @usableFromInline package static var null: UInt64 {
        @export(implementation) @inline(__always) get { 8 }
    }
    /// The name of the next value, which is a part of the message: one literal word.
    @usableFromInline package static var name: UInt64 {
        @export(implementation) @inline(__always) get { 9 }
    }
    /// The name of the next value, which is no part of the message: one literal word.
    @usableFromInline package static var field: UInt64 {
        @export(implementation) @inline(__always) get { 10 }
    }
    /// The same with a name that is a string.
    @usableFromInline package static var ownField: UInt64 {
        @export(implementation) @inline(__always) get { 11 }
    }
    /// How the next value is written: see ``EncodedOptions``; one word.
    @usableFromInline package static var options: UInt64 {
        @export(implementation) @inline(__always) get { 12 }
    }
    /// A word with an ``EncodedSpecial``, then what it says.
    @usableFromInline package static var special: UInt64 {
        @export(implementation) @inline(__always) get { 13 }
    }
    /// A value as JSON text: a string.
    @usableFromInline package static var json: UInt64 {
        @export(implementation) @inline(__always) get { 14 }
    }
    /// The next tag word.
    @usableFromInline package static var more: UInt64 {
        @export(implementation) @inline(__always) get { 15 }
    }
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
            @export(implementation) @inline(__always) get { 1 }
        }
        /// That of a floating-point number.
        @usableFromInline package static var float: UInt64 {
            @export(implementation) @inline(__always) get { 2 }
        }
        /// That of a Boolean.
        @usableFromInline package static var bool: UInt64 {
            @export(implementation) @inline(__always) get { 3 }
        }
    }

    /// Returns of a word what says how the value is aligned.
    static func alignment(of word: UInt64) -> UInt64 { word & 0xFF_FF00 }

    @export(implementation)
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
