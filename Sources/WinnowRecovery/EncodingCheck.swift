// SPDX-License-Identifier: Apache-2.0

package import WinnowCore

/// Makes an encoding safe to decode of which any byte may be wrong, as a process has left it that is dead.
///
/// It gives the literals, which are addresses in that process, other addresses, and changes what a decoder believes
/// without looking: a text that is no UTF-8 gets question marks in the place of the wrong bytes, and what is no JSON
/// becomes a text.
///
/// Source: `EncodedKind`, and what `RecordDecoder` and `ValueWriter` rely on.
@unsafe
package struct EncodingCheck {
    private let bytes: UnsafeMutableRawBufferPointer
    private let relocate: (EncodedLiteral) -> EncodedLiteral
    private var position = 0
    /// The last word of kinds, and where the next kind would stand in it.
    private var lastTag = (offset: 0, shift: UInt64(0))
    /// The bytes that a message may still become, and the names that it may still have: what a few bytes stand for is
    /// more than they are, and names are compared with one another.
    private var byteCountLeft = 1 << 20
    private var nameCountLeft = 4_096

    /// Checks the encoding that begins at the first byte.
    ///
    /// - Parameters:
    ///   - bytes: Its bytes, and what may follow it. They begin at a multiple of eight.
    ///   - relocate: Returns the literal that is read in the place of another, whose address is not to be touched.
    /// - Returns: Where the encoding ends; nil where it is damaged.
    package static func check(
        _ bytes: UnsafeMutableRawBufferPointer,
        relocatingBy relocate: @escaping (EncodedLiteral) -> EncodedLiteral
    ) -> EncodingEnd? {
        var check = unsafe EncodingCheck(bytes, relocate)
        guard unsafe check.readItems() else { return nil }
        return unsafe EncodingEnd(
            byteCount: check.position,
            tagOffset: check.lastTag.offset,
            tagShift: check.lastTag.shift
        )
    }

    private init(
        _ bytes: UnsafeMutableRawBufferPointer,
        _ relocate: @escaping (EncodedLiteral) -> EncodedLiteral
    ) {
        unsafe self.bytes = unsafe bytes
        unsafe self.relocate = relocate
    }

    /// Goes through the items; false where one is damaged.
    private mutating func readItems() -> Bool {
        guard var tags = unsafe takeTags() else { return false }
        while let kind = unsafe tags.next() {
            if kind == EncodedKind.more {
                guard let next = unsafe takeTags() else { return false }
                unsafe tags = unsafe next
            } else if unsafe !readItem(kind, of: &tags) {
                return false
            }
        }
        unsafe lastTag.shift = unsafe tags.shift
        // The encoder keeps the last kind of a word for one more word.
        return unsafe tags.shift <= 60
    }

    private mutating func takeTags() -> TagWord? {
        guard let offset = unsafe takeWord() else { return nil }
        unsafe lastTag.offset = offset
        return unsafe TagWord(at: offset, in: bytes)
    }

    private mutating func readItem(_ kind: UInt64, of tags: inout TagWord) -> Bool {
        switch kind {
        case EncodedKind.literal: unsafe readLiteral()
        case EncodedKind.name, EncodedKind.field: unsafe takeName() && readLiteral()
        case EncodedKind.integer, EncodedKind.unsigned, EncodedKind.double, EncodedKind.float,
            EncodedKind.bool:
            unsafe takeWord() != nil
        case EncodedKind.string: unsafe readText() != nil
        case EncodedKind.ownField: unsafe takeName() && readText() != nil
        case EncodedKind.json: unsafe readJSON(of: &tags)
        case EncodedKind.null: true
        case EncodedKind.options: unsafe readOptions()
        case EncodedKind.special: unsafe readSpecial()
        default: false
        }
    }

    /// The offset of the next word, which is behind it then; nil where there is none.
    private mutating func takeWord() -> Int? {
        guard unsafe bytes.count - position >= 8 else { return nil }
        defer { unsafe position += 8 }
        return unsafe position
    }

    private mutating func readWord() -> UInt64? {
        guard let place = unsafe takeWord() else { return nil }
        return unsafe bytes.load(fromByteOffset: place, as: UInt64.self)
    }

    private mutating func readLiteral() -> Bool {
        guard let place = unsafe takeWord() else { return false }
        let word = unsafe bytes.load(fromByteOffset: place, as: UInt64.self)
        let literal = unsafe relocate(EncodedLiteral(word: word))
        unsafe bytes.storeBytes(of: literal.word, toByteOffset: place, as: UInt64.self)
        return unsafe spend(Int(literal.word &>> 48))
    }

    private mutating func takeName() -> Bool {
        unsafe nameCountLeft -= 1
        return unsafe nameCountLeft >= 0
    }

    /// Takes bytes from those that the message may become; false where there are no more.
    private mutating func spend(_ count: Int) -> Bool {
        unsafe byteCountLeft -= count
        return unsafe byteCountLeft >= 0
    }

    /// Goes through a text, which is UTF-8 then; returns where it lies.
    private mutating func readText() -> Range<Int>? {
        guard let word = unsafe readWord(), let count = Int(exactly: word),
            unsafe count <= bytes.count - position
        else { return nil }
        let padded = (count + 7) & ~7
        guard unsafe padded <= bytes.count - position else { return nil }
        let text = unsafe position..<position + count
        unsafe position += padded
        unsafe UTF8Repair.repair(UnsafeMutableRawBufferPointer(rebasing: bytes[text]))
        return text
    }

    private mutating func readJSON(of tags: inout TagWord) -> Bool {
        guard let text = unsafe readText() else { return false }
        if unsafe !JSONCheck.isValue(Array(bytes[text])) {
            unsafe tags.replaceLast(by: EncodedKind.string)
        }
        return true
    }

    private mutating func readOptions() -> Bool {
        guard let word = unsafe readWord() else { return false }
        return unsafe EncodedOptions.isSound(word) && spend(EncodedOptions.paddedByteCount(word))
    }

    private mutating func readSpecial() -> Bool {
        guard let word = unsafe readWord() else { return false }
        return switch EncodedSpecial(rawValue: word) {
        case .errno: unsafe takeWord() != nil
        case .error, .messageID: unsafe readText() != nil
        case .location: unsafe readText() != nil && readText() != nil
        case .context: true
        case nil: false
        }
    }
}

/// Where an encoding ends.
package struct EncodingEnd: Equatable {
    /// Its bytes.
    package let byteCount: Int
    /// Where its last word of kinds lies, and where in it the next kind would stand.
    let tagOffset: Int
    let tagShift: UInt64

    /// The bytes that ``append(_:to:)`` takes at most.
    static let fieldByteCount = 24

    /// Appends a field that is true to an encoding with this end, for which there is room behind it.
    ///
    /// - Returns: The bytes of the encoding then.
    func append(_ name: StaticString, to bytes: UnsafeMutableRawBufferPointer) -> Int {
        var (position, tagOffset, shift) = (byteCount, tagOffset, tagShift)
        func add(_ kind: UInt64) {
            let tags = unsafe bytes.load(fromByteOffset: tagOffset, as: UInt64.self)
            unsafe bytes.storeBytes(
                of: tags | kind &<< shift,
                toByteOffset: tagOffset,
                as: UInt64.self
            )
        }
        func put(_ word: UInt64) {
            unsafe bytes.storeBytes(of: word, toByteOffset: position, as: UInt64.self)
            position += 8
        }
        // The last kind of a word is kept for one more word.
        if shift > 52 {
            add(EncodedKind.more)
            (tagOffset, shift) = (position, 0)
            put(0)
        }
        add(EncodedKind.field | EncodedKind.bool &<< 4)
        put(EncodedLiteral(name).word)
        put(1)
        return position
    }
}

/// A word of kinds, which stays where it is.
@unsafe
private struct TagWord {
    private let place: UnsafeMutableRawPointer
    private(set) var shift: UInt64 = 0

    init?(at offset: Int?, in bytes: UnsafeMutableRawBufferPointer) {
        guard let offset, let base = bytes.baseAddress else { return nil }
        unsafe place = unsafe base + offset
    }

    /// Takes the next kind; nil where no other follows.
    ///
    /// A kind of zero among others is one that the check refuses.
    mutating func next() -> UInt64? {
        let rest = unsafe shift > 60 ? 0 : place.load(as: UInt64.self) &>> shift
        guard rest != 0 else { return nil }
        unsafe shift += 4
        return rest & 15
    }

    /// Writes another kind in the place of the one that was taken last.
    func replaceLast(by kind: UInt64) {
        let last = unsafe shift - 4
        let word = unsafe place.load(as: UInt64.self) & ~(15 &<< last)
        unsafe place.storeBytes(of: word | kind &<< last, as: UInt64.self)
    }
}

extension EncodedOptions {
    /// What a value may become besides its own text: columns and digits.
    fileprivate static func paddedByteCount(_ word: UInt64) -> Int {
        Int(word &>> 10 & 0x3FFF) + (word &>> 24 & 0xFF == 0 ? 0 : Int(word &>> 48))
    }

    /// Whether a word says what a statement may say: ``ValueWriter`` divides by the radix, and hands the letter to
    /// printf(3).
    fileprivate static func isSound(_ word: UInt64) -> Bool {
        let columns = word &>> 10 & 0x3FFF
        let (code, digits) = (word &>> 32, word &>> 48)
        let isFormatSound =
            switch word &>> 24 & 0xFF {
            case 0, Format.bool: true
            case Format.integer: [8, 10, 16].contains(code & 0xFF) && digits <= 255
            case Format.float:
                "efg".utf8.contains(UInt8(truncatingIfNeeded: code)) && digits <= 64
            default: false
            }
        return columns <= 1_000 && isFormatSound
    }
}
