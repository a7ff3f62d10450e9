// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// A record whose texts are cut, for what a destination takes no more of.
extension Record {
    /// The bytes of a text that still tells what it was.
    package static let tellingByteCount = 64

    /// Lends a copy of the record to the body, in which no text is longer, and which may have fewer fields.
    ///
    /// The message and the value of a field keep their beginning and their end, and between the two stands
    /// how much is missing: `… [1234 bytes cut] …`. Names, that of the category among them, and the place of
    /// the call keep their beginning.
    /// JSON that is cut is a text. Numbers are whole. Fields that are left out, the last ones, are counted in `omitted_fields`.
    ///
    /// - Parameters:
    ///   - limit: The bytes of the longest text, from 0; what says how much is missing may have 39.
    ///   - count: The number of fields to keep; it may be larger than that of the record.
    ///   - body: Gets the copy.
    package func withTexts(
        atMost limit: Int,
        fieldCount count: Int,
        _ body: (borrowing Record) -> Void
    ) {
        var content = RecordContent()
        unsafe content.file = unsafe beginning(of: fileBytes, atMost: limit)
        unsafe content.function = unsafe beginning(of: functionBytes, atMost: limit)
        unsafe content.text.append(messageBytes, cutTo: limit)
        content.messageLength = content.text.count
        appendFields(upTo: min(count, fieldCount), cutTo: limit, to: &content)
        let name = unsafe beginning(of: categoryBytes, atMost: limit)
        guard unsafe name.count < categoryBytes.count,
            let start = unsafe name.assumingMemoryBound(to: UInt8.self).baseAddress
        else { return Record.withRecord(header: header, content: content, body) }
        var own = unsafe cwinnow_cell_of_its_own()
        unsafe own.category.name = start
        unsafe own.category.name_length = UInt32(name.count)
        unsafe own.category.column_length = CWINNOW_NO_COLUMN
        // SAFETY: the copy is lent for no longer than the call, and begins with the cell.
        unsafe withUnsafeMutablePointer(to: &own) { own in
            var header = header
            unsafe header.call.category = unsafe UnsafeMutableRawPointer(own)
                .assumingMemoryBound(to: cwinnow_cell.self)
            Record.withRecord(header: header, content: content, body)
        }
    }

    private func appendFields(
        upTo count: Int,
        cutTo limit: Int,
        to content: inout RecordContent
    ) {
        for index in 0..<count {
            let entry = unsafe fieldEntries[index]
            unsafe content.entries.append(
                RecordContent.Entry(
                    name: beginning(of: entry.name, atMost: limit),
                    value: copy(of: entry.value, cutTo: limit, in: &content.text),
                    isInMessage: entry.isInMessage
                )
            )
        }
        guard count < fieldCount else { return }
        let name: StaticString = "omitted_fields"
        // SAFETY: a literal lives as long as the program.
        let bytes = unsafe UnsafeRawBufferPointer(
            start: name.utf8Start,
            count: name.utf8CodeUnitCount
        )
        let value = unsafe RecordContent.Value.unsigned(UInt64(fieldCount - count))
        unsafe content.entries.append(.init(name: bytes, value: value, isInMessage: false))
    }

    /// Returns a value for the copy: one that is cut, or lies in this record's buffer, gets a place in the
    /// copy's own.
    private func copy(
        of value: RecordContent.Value,
        cutTo limit: Int,
        in buffer: inout ByteBuffer
    ) -> RecordContent.Value {
        switch unsafe value {
        case .text(let bytes) where bytes.count <= limit: return unsafe value
        case .json(let bytes) where bytes.count <= limit: return unsafe value
        case .text, .json, .rendered: break
        default: return unsafe value
        }
        let offset = buffer.count
        unsafe buffer.append(textBytes(of: value), cutTo: limit)
        return unsafe .rendered(offset: offset, count: buffer.count - offset)
    }
}

private func beginning(
    of text: UnsafeRawBufferPointer,
    atMost limit: Int
) -> UnsafeRawBufferPointer {
    guard text.count > limit else { return unsafe text }
    let end = unsafe TextCut.boundary(
        in: text.assumingMemoryBound(to: UInt8.self).span,
        atMost: limit
    )
    return unsafe UnsafeRawBufferPointer(rebasing: text[..<end])
}

extension ByteBuffer {
    /// Appends a text; of one that is longer than the limit the beginning and the end, with the number
    /// of the bytes in between.
    fileprivate mutating func append(_ text: UnsafeRawBufferPointer, cutTo limit: Int) {
        guard text.count > limit else { return unsafe append(text) }
        // The longest mark: two signs of three bytes, and a number that has up to 19 digits.
        let room = max(limit - 40, 0)
        let bytes = unsafe text.assumingMemoryBound(to: UInt8.self).span
        let head = TextCut.boundary(in: bytes, atMost: room - room / 4)
        let tail = TextCut.boundary(in: bytes, atLeast: bytes.count - room / 4)
        append(bytes.extracting(..<head))
        append("… [")
        append(decimal: UInt64(tail - head))
        append(" bytes cut] …")
        append(bytes.extracting(tail...))
    }
}
