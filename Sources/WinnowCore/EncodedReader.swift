// SPDX-License-Identifier: Apache-2.0

/// Reads a record's encoding item by item: see ``EncodedKind``.
@unsafe
@frozen
@usableFromInline
package struct EncodedReader {
    /// The next word.
    @usableFromInline var position: UnsafeRawPointer

    @export(implementation)
    @inline(__always)
    package init(position: UnsafeRawPointer) {
        unsafe self.position = unsafe position
    }

    @export(implementation)
    @inline(__always)
    package mutating func readWord() -> UInt64 {
        let word = unsafe position.load(as: UInt64.self)
        unsafe position += 8
        return word
    }

    @export(implementation)
    @inline(__always)
    package mutating func readLiteral() -> UnsafeRawBufferPointer {
        unsafe EncodedLiteral(word: readWord()).bytes
    }

    @export(implementation)
    @inline(__always)
    package mutating func readString() -> UnsafeRawBufferPointer {
        let count = Int(truncatingIfNeeded: unsafe readWord())
        let bytes = unsafe UnsafeRawBufferPointer(start: position, count: count)
        unsafe position += (count &+ 7) & ~7
        return unsafe bytes
    }

    @inline(__always)
    mutating func readValue(_ kind: UInt64) -> RecordContent.Value {
        switch kind {
        case EncodedKind.integer: unsafe .integer(Int64(bitPattern: readWord()))
        case EncodedKind.unsigned: unsafe .unsigned(readWord())
        case EncodedKind.double: unsafe .double(Double(bitPattern: readWord()))
        case EncodedKind.float: unsafe .double(Self.shortestDouble(of: readWord()))
        case EncodedKind.bool: unsafe .bool(readWord() != 0)
        case EncodedKind.string: unsafe .text(readString())
        case EncodedKind.json: unsafe .json(readString())
        default: unsafe .null
        }
    }

    /// The double that reads as the float does: 0.1 for the float 0.1, and not 0.10000000149.
    @inline(never)
    private static func shortestDouble(of word: UInt64) -> Double {
        Float(bitPattern: UInt32(truncatingIfNeeded: word)).doubleAsWritten
    }

    /// Reads the literals, integers, texts and floating-point numbers of a message, and fields without
    /// options, up to the first item of any other kind.
    ///
    /// Returns the remaining tags. Must not be called for the fields of a context, some of which are to be
    /// left out.
    @inline(__always)
    mutating func readPlainItems(
        tags firstTags: UInt64,
        into content: inout RecordContent
    ) -> UInt64 {
        var tags = firstTags
        // Copies that nothing else sees stay in registers.
        var reader = unsafe self
        var text = unsafe content.text.cursor
        defer {
            unsafe self = unsafe reader
            unsafe content.text.setEnd(text)
        }
        while true {
            switch tags & 15 {
            case EncodedKind.literal:
                unsafe text = unsafe content.write(reader.readLiteral(), at: text)
            case EncodedKind.integer:
                let number = unsafe Int64(bitPattern: reader.readWord())
                unsafe text = unsafe content.write(number, at: text)
            case EncodedKind.string:
                unsafe text = unsafe content.write(reader.readString(), at: text)
            case EncodedKind.double:
                let number = unsafe Double(bitPattern: reader.readWord())
                unsafe text = unsafe content.write(number, at: text)
            case EncodedKind.field:
                let kind = tags &>> 4 & 15
                // Options may precede the value.
                guard EncodedKind.integer...EncodedKind.null ~= kind else { return tags }
                let name = unsafe reader.readLiteral()
                let value = unsafe reader.readValue(kind)
                unsafe content.entries.append(.init(name: name, value: value, isInMessage: false))
                tags &>>= 4
            default: return tags
            }
            tags &>>= 4
        }
    }
}

/// Writes pieces of the message; each call returns the new end, as an inout cursor would be in memory.
extension RecordContent {
    @inline(__always)
    fileprivate mutating func write(
        _ bytes: UnsafeRawBufferPointer,
        at end: ByteCursor
    ) -> ByteCursor {
        let count = bytes.count
        guard unsafe count <= ByteCursor.shortByteCount && end.room >= count else {
            return unsafe writeLong(bytes, at: end)
        }
        var end = unsafe end
        unsafe end.put(short: bytes)
        return unsafe end
    }

    @inline(__always)
    fileprivate mutating func write(_ number: Int64, at end: ByteCursor) -> ByteCursor {
        guard UInt64(bitPattern: number) < 100_000_000, unsafe end.room >= 8 else {
            return unsafe writeLong(number, at: end)
        }
        var end = unsafe end
        unsafe end.put(eightDigits: UInt64(bitPattern: number))
        return unsafe end
    }

    @inline(never)
    fileprivate mutating func write(_ number: Double, at end: ByteCursor) -> ByteCursor {
        var next = unsafe end
        if unsafe end.room >= 24 && next.put(shortest: number) { return unsafe next }
        unsafe text.setEnd(end)
        text.append(shortest: number)
        return unsafe text.cursor
    }

    @inline(never)
    private mutating func writeLong(
        _ bytes: UnsafeRawBufferPointer,
        at end: ByteCursor
    ) -> ByteCursor {
        unsafe text.setEnd(end)
        unsafe text.append(bytes)
        return unsafe text.cursor
    }

    @inline(never)
    private mutating func writeLong(_ number: Int64, at end: ByteCursor) -> ByteCursor {
        unsafe text.setEnd(end)
        text.append(decimal: number)
        return unsafe text.cursor
    }
}
