// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// Writes the items of a record's encoding as a line of text has them, where they are plain: numbers,
/// truth values, and texts of harmless ASCII, without options, names in the message and context.
///
/// What is written is what ``TextFormatter`` makes of the decoded record. The first item that is not
/// plain ends it, and the record is decoded: so no text is looked at but for whether it is harmless.
///
/// All of it is inlined into one function, where it lies in registers.
@unsafe
struct PlainLine {
    // SAFETY: who writes has looked at the room.
    var cursor: ByteCursor
    private var reader: EncodedReader

    private static let itemByteCount = unsafe ByteCursor.itemByteCount

    @inline(__always)
    init(at cursor: ByteCursor, arguments: UnsafeRawPointer) {
        unsafe self.cursor = unsafe cursor
        unsafe reader = unsafe EncodedReader(position: arguments)
    }

    /// Writes all items; returns whether they are plain.
    @inline(__always)
    mutating func putItems() -> Bool {
        var tags = unsafe reader.readWord()
        // Known at once for most: nothing is written in vain.
        guard unsafe !Self.hasOthers(tags) else { return false }
        while true {
            let isPut: Bool
            switch tags & 15 {
            case EncodedKind.literal: isPut = unsafe cursor.put(harmlessLine: reader.readLiteral())
            case EncodedKind.string: isPut = unsafe cursor.put(harmlessLine: reader.readString())
            case EncodedKind.field: return unsafe putFields(tags)
            case EncodedKind.end: return true
            case EncodedKind.more:
                tags = unsafe reader.readWord()
                continue
            case let kind: isPut = unsafe putNumber(kind)
            }
            guard isPut else { return false }
            tags &>>= 4
        }
    }

    /// Whether one of the kinds is that of a name in the message, a field by a name of the
    /// program's own, options, or what is special: nine, and from eleven to fourteen.
    @inline(__always)
    private static func hasOthers(_ tags: UInt64) -> Bool {
        // The lower bits of each kind, brought to its highest.
        let (second, third, fourth) = (tags &<< 1, tags &<< 2, tags &<< 3)
        let others = tags & ((second ^ fourth) | (second & ~third))
        return others & 0x8888_8888_8888_8888 != 0
    }

    /// Writes the items from the first field on, behind which there are only others.
    @inline(__always)
    private mutating func putFields(_ firstTags: UInt64) -> Bool {
        var tags = firstTags
        while tags != EncodedKind.end {
            if tags & 15 == EncodedKind.more {
                tags = unsafe reader.readWord()
                continue
            }
            guard tags & 15 == EncodedKind.field, unsafe putName(reader.readLiteral()) else {
                return false
            }
            tags &>>= 4
            // The value of a name at the end of a word has its kind in the next one.
            if tags & 15 == EncodedKind.more { tags = unsafe reader.readWord() }
            guard unsafe putValue(tags & 15) else { return false }
            tags &>>= 4
        }
        return true
    }

    /// Writes the name of a field; returns whether it may stand as it is.
    @inline(__always)
    private mutating func putName(_ name: UnsafeRawBufferPointer) -> Bool {
        guard unsafe cursor.room >= Self.itemByteCount else { return false }
        unsafe cursor.put(UInt8(ascii: " "))
        guard unsafe !name.isEmpty && put(name, cwinnow_harmless_copy_name) else { return false }
        unsafe cursor.put(UInt8(ascii: "="))
        return true
    }

    /// Writes the value of a field; returns whether it is plain.
    @inline(__always)
    private mutating func putValue(_ kind: UInt64) -> Bool {
        guard kind == EncodedKind.string else { return unsafe putNumber(kind) }
        let text = unsafe reader.readString()
        guard unsafe !text.isEmpty else { return false }
        let start = unsafe cursor
        if unsafe put(text, cwinnow_harmless_copy_name) { return true }
        unsafe cursor = unsafe start
        unsafe cursor.put(UInt8(ascii: "\""))
        guard unsafe put(text, cwinnow_harmless_copy_quotes) else { return false }
        unsafe cursor.put(UInt8(ascii: "\""))
        return true
    }

    /// Writes a text as far as it is harmless by the function; returns whether all of it is.
    @inline(__always)
    private mutating func put(
        _ text: UnsafeRawBufferPointer,
        _ copy: (UnsafeMutablePointer<UInt8>, UnsafePointer<UInt8>, Int) -> Int
    ) -> Bool {
        guard let bytes = text.baseAddress,
            unsafe cursor.room &- Self.itemByteCount >= text.count
        else { return false }
        // SAFETY: there is room for the text.
        let harmless = unsafe copy(
            cursor.position.assumingMemoryBound(to: UInt8.self),
            bytes.assumingMemoryBound(to: UInt8.self),
            text.count
        )
        unsafe cursor.skip(harmless)
        return harmless == text.count
    }

    /// Writes a number or a truth value; returns false of every other kind.
    @inline(__always)
    private mutating func putNumber(_ kind: UInt64) -> Bool {
        guard unsafe cursor.room >= Self.itemByteCount else { return false }
        switch kind {
        case EncodedKind.integer:
            let number = unsafe Int64(bitPattern: reader.readWord())
            if number < 0 { unsafe cursor.put(UInt8(ascii: "-")) }
            unsafe put(decimal: number.magnitude)
        case EncodedKind.unsigned: unsafe put(decimal: reader.readWord())
        case EncodedKind.double:
            let number = unsafe Double(bitPattern: reader.readWord())
            guard let end = unsafe cursor.end(ofShortest: number) else { return false }
            unsafe cursor = unsafe end
        case EncodedKind.bool:
            unsafe cursor.put(reader.readWord() != 0 ? "true" : "false" as StaticString)
        case EncodedKind.null: unsafe cursor.put("nil")
        default: return false
        }
        return true
    }

    @inline(__always)
    private mutating func put(decimal number: UInt64) {
        if number < 100_000_000 {
            unsafe cursor.put(eightDigits: number)
        } else {
            unsafe cursor = unsafe cursor.end(ofDecimal: number)
        }
    }
}

extension ByteCursor {
    /// The room for a number, or for what stands around a text.
    static let itemByteCount = 32

    /// Writes a text that is not quoted; returns whether there is room for it and what stands
    /// behind it, and all of it is harmless.
    @inline(__always)
    mutating func put(harmlessLine text: UnsafeRawBufferPointer) -> Bool {
        guard let bytes = text.baseAddress else { return true }
        guard unsafe room &- Self.itemByteCount >= text.count else { return false }
        // SAFETY: there is room for the text.
        let isHarmless = unsafe cwinnow_harmless_put_line(
            position.assumingMemoryBound(to: UInt8.self),
            bytes.assumingMemoryBound(to: UInt8.self),
            text.count
        )
        unsafe skip(text.count)
        return isHarmless
    }
}
