// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// Reads the encoding of a record's arguments into a ``RecordContent``.
@unsafe
package struct RecordDecoder: ~Copyable {
    private var position: UnsafeRawPointer
    private let policy: PrivacyPolicy
    /// The name that the next value has, and whether the value is a part of the message.
    private var name: UnsafeRawBufferPointer?
    private var isInMessage = true
    private var options: UInt64 = 0
    /// Whether the fields are those of the logger and the task by now.
    private var isInContext = false
    /// What ends the message, in the order in which it was written: errors and errno texts.
    private var suffixes: [String] = []
    /// The private values that are no part of the message: they are masked when it has ended.
    private var hidden: [Hidden] = unsafe []

    /// A private value, and which entry it belongs to.
    @unsafe
    private struct Hidden {
        let entry: Int
        let value: RecordContent.Value
        let mask: LogPrivacy.Mask
        let options: UInt64
    }

    /// Decodes the arguments at the address; the content must be empty.
    package static func decode(
        _ arguments: UnsafeRawPointer,
        policy: PrivacyPolicy,
        into content: inout RecordContent
    ) {
        var decoder = unsafe RecordDecoder(position: arguments + 8, policy: policy)
        unsafe decoder.readItems(tags: arguments.load(as: UInt64.self), into: &content)
        unsafe decoder.finish(&content)
    }

    private init(position: UnsafeRawPointer, policy: PrivacyPolicy) {
        unsafe self.position = unsafe position
        unsafe self.policy = policy
        unsafe self.name = nil
    }

    private mutating func readItems(tags firstTags: UInt64, into content: inout RecordContent) {
        var tags = firstTags
        while tags != EncodedKind.end {
            let kind = tags & 15
            tags &>>= 4
            switch kind {
            case EncodedKind.literal: unsafe content.text.append(readLiteral())
            case EncodedKind.name: unsafe setName(readLiteral(), isInMessage: true)
            case EncodedKind.field: unsafe setName(readLiteral(), isInMessage: false)
            case EncodedKind.ownField: unsafe setName(readString(), isInMessage: false)
            case EncodedKind.options: unsafe options = readWord()
            case EncodedKind.special: unsafe readSpecial(into: &content)
            case EncodedKind.more: tags = unsafe readWord()
            default:
                let value = unsafe readValue(kind)
                if unsafe isOverridden(in: content) { continue }
                unsafe place(value, in: &content, isFloat: kind == EncodedKind.float)
            }
        }
    }

    /// Whether the field that the next value is for is the logger's or the task's, and the record
    /// has one of its name: then its name and options are forgotten.
    private mutating func isOverridden(in content: borrowing RecordContent) -> Bool {
        guard unsafe isInContext, let name = unsafe name,
            unsafe content.hasEntry(named: name)
        else { return false }
        unsafe self.name = nil
        unsafe options = 0
        return true
    }

    private mutating func finish(_ content: inout RecordContent) {
        for suffix in unsafe suffixes {
            content.text.append(": ")
            content.text.append(suffix)
        }
        content.messageLength = content.text.count
        unsafe hidden.forEach {
            let range = unsafe ValueWriter.write(
                $0.value,
                mask: $0.mask,
                options: $0.options,
                to: &content
            )
            unsafe content.entries[$0.entry].value = .rendered(
                offset: range.offset,
                count: range.count
            )
        }
    }

    private mutating func setName(_ name: UnsafeRawBufferPointer, isInMessage: Bool) {
        unsafe self.name = unsafe name
        unsafe self.isInMessage = isInMessage
    }

    private mutating func readWord() -> UInt64 {
        let word = unsafe position.load(as: UInt64.self)
        unsafe position += 8
        return word
    }

    private mutating func readLiteral() -> UnsafeRawBufferPointer {
        let word = unsafe readWord()
        // SAFETY: the encoder packed the address and the length of a literal into the word.
        return unsafe UnsafeRawBufferPointer(
            start: UnsafeRawPointer(bitPattern: UInt(word & 0xFFFF_FFFF_FFFF)),
            count: Int(word &>> 48)
        )
    }

    private mutating func readString() -> UnsafeRawBufferPointer {
        let count = Int(unsafe readWord())
        let bytes = unsafe UnsafeRawBufferPointer(start: position, count: count)
        unsafe position += (count + 7) & ~7
        return unsafe bytes
    }

    private mutating func readValue(_ kind: UInt64) -> RecordContent.Value {
        switch kind {
        case EncodedKind.integer: unsafe .integer(Int64(bitPattern: readWord()))
        case EncodedKind.unsigned: unsafe .unsigned(readWord())
        case EncodedKind.double: unsafe .double(Double(bitPattern: readWord()))
        case EncodedKind.float: unsafe .double(shortestDouble(of: readWord()))
        case EncodedKind.bool: unsafe .bool(readWord() != 0)
        case EncodedKind.string: unsafe .text(readString())
        default: unsafe .null
        }
    }

    /// The double that reads as the float does: 0.1 for the float 0.1, and not 0.10000000149.
    private func shortestDouble(of word: UInt64) -> Double {
        let float = Float(bitPattern: UInt32(truncatingIfNeeded: word))
        return Double(float.description) ?? Double(float)
    }

    private mutating func readSpecial(into content: inout RecordContent) {
        switch EncodedSpecial(rawValue: unsafe readWord()) {
        case .errno:
            let code = unsafe Int32(truncatingIfNeeded: readWord())
            unsafe suffixes.append(systemErrorText(code))
            unsafe addEntry("errno", .integer(Int64(code)), to: &content)
        case .error:
            let text = unsafe readString()
            unsafe suffixes.append(String(decoding: text, as: UTF8.self))
            unsafe addEntry("error", .text(text), isInMessage: true, to: &content)
        case .messageID: unsafe addEntry("message_id", .text(readString()), to: &content)
        case .location:
            unsafe content.file = readString()
            unsafe content.function = readString()
        case .context: unsafe isInContext = true
        case nil: break
        }
    }

    private func addEntry(
        _ name: StaticString,
        _ value: RecordContent.Value,
        isInMessage: Bool = false,
        to content: inout RecordContent
    ) {
        let bytes = unsafe UnsafeRawBufferPointer(
            start: name.utf8Start,
            count: name.utf8CodeUnitCount
        )
        unsafe content.entries.append(
            .init(name: bytes, value: value, isInMessage: isInMessage)
        )
    }

    /// Puts a value into the message, or the fields, or both.
    private mutating func place(
        _ value: RecordContent.Value,
        in content: inout RecordContent,
        isFloat: Bool
    ) {
        let options = unsafe options
        let name = unsafe name
        unsafe self.options = 0
        unsafe self.name = nil
        let mask = unsafe policy.mask(for: UInt8(truncatingIfNeeded: options))
        guard let mask else {
            if unsafe name == nil || isInMessage {
                unsafe ValueWriter.write(value, options: options, to: &content)
            }
            if let name = unsafe name {
                unsafe content.entries.append(
                    .init(name: name, value: value, isInMessage: isInMessage)
                )
            }
            return
        }
        if let name = unsafe name, unsafe !isInMessage {
            let entry = unsafe content.entries.count
            unsafe hidden.append(.init(entry: entry, value: value, mask: mask, options: options))
            unsafe content.entries.append(.init(name: name, value: .null, isInMessage: false))
            return
        }
        let range = unsafe ValueWriter.write(value, mask: mask, options: options, to: &content)
        if let name = unsafe name {
            let masked = unsafe RecordContent.Value.rendered(
                offset: range.offset,
                count: range.count
            )
            unsafe content.entries.append(
                .init(name: name, value: masked, isInMessage: isInMessage)
            )
        }
    }
}
