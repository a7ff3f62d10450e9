// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// Reads the encoding of a record's arguments into a ``RecordContent``.
///
/// It owns nothing that must be released, so no record pays for such a check: what a record with an error
/// or a private field needs until its end is kept in the content.
@unsafe
package struct RecordDecoder: ~Copyable {
    private var reader: EncodedReader
    private let policy: PrivacyPolicy
    /// The name that the next value has, and whether the value is a part of the message.
    private var name: UnsafeRawBufferPointer?
    private var isInMessage = true
    private var options: UInt64 = 0
    /// Whether the next value is a part of the message and nothing else: it has no name and no options.
    private var isPlain = true
    /// Whether the fields are those of the logger and the task by now.
    private var isInContext = false

    /// Decodes the arguments at the address; the content must be empty.
    package static func decode(
        _ arguments: UnsafeRawPointer,
        policy: PrivacyPolicy,
        into content: inout RecordContent
    ) {
        unsafe decodeRecord(arguments, policy: policy, into: &content)
    }

    @inline(never)
    fileprivate static func decodeRest(
        _ tags: UInt64,
        _ reader: EncodedReader,
        policy: PrivacyPolicy,
        into content: inout RecordContent
    ) {
        var decoder = unsafe RecordDecoder(reader: reader, policy: policy)
        unsafe decoder.readItems(tags: tags, into: &content)
        unsafe decoder.finish(&content)
    }

    private init(reader: EncodedReader, policy: PrivacyPolicy) {
        unsafe self.reader = unsafe reader
        unsafe self.policy = policy
        unsafe self.name = nil
    }

    private mutating func readItems(tags firstTags: UInt64, into content: inout RecordContent) {
        var tags = firstTags
        while tags != EncodedKind.end {
            let kind = tags & 15
            tags &>>= 4
            switch kind {
            case EncodedKind.literal: unsafe content.text.append(reader.readLiteral())
            case EncodedKind.name: unsafe setName(reader.readLiteral(), isInMessage: true)
            case EncodedKind.field: unsafe setName(reader.readLiteral(), isInMessage: false)
            case EncodedKind.ownField: unsafe setName(reader.readString(), isInMessage: false)
            case EncodedKind.options: unsafe setOptions(reader.readWord())
            case EncodedKind.special: unsafe readSpecial(into: &content)
            case EncodedKind.more: tags = unsafe reader.readWord()
            default:
                let value = unsafe reader.readValue(kind)
                if unsafe isOverridden(in: content) { continue }
                unsafe place(value, in: &content)
            }
            if unsafe isPlain && !isInContext {
                tags = unsafe readPlainItems(tags: tags, into: &content)
            }
        }
    }

    /// The same as the reader's, which most records need once, and inline.
    @inline(never)
    private mutating func readPlainItems(
        tags: UInt64,
        into content: inout RecordContent
    ) -> UInt64 {
        unsafe reader.readPlainItems(tags: tags, into: &content)
    }

    /// Whether the field that the next value is for is the logger's or the task's, and the record
    /// has one of its name: then its name and options are forgotten.
    private mutating func isOverridden(in content: borrowing RecordContent) -> Bool {
        guard unsafe isInContext, let name = unsafe name,
            unsafe content.entries.contains(name: name)
        else { return false }
        unsafe forgetOptions()
        return true
    }

    private mutating func finish(_ content: inout RecordContent) {
        if !content.rest.isEmpty { return unsafe finishRest(&content) }
        content.messageLength = content.text.count
    }

    /// Ends the message with what waits for its end, and writes behind it what private values become.
    @inline(never)
    private mutating func finishRest(_ content: inout RecordContent) {
        for suffix in content.rest.suffixes {
            content.text.append(": ")
            content.text.append(suffix)
        }
        content.messageLength = content.text.count
        let hidden = unsafe content.rest.hidden
        unsafe hidden.forEach {
            let range = unsafe ValueWriter.write(
                $0.value,
                mask: $0.mask,
                options: $0.options,
                to: &content
            )
            let rendered = unsafe RecordContent.Value.rendered(
                offset: range.offset,
                count: range.count
            )
            unsafe content.entries.setValue(rendered, at: $0.entry)
        }
        content.rest = DecodedRest()
    }

    private mutating func setName(_ name: UnsafeRawBufferPointer, isInMessage: Bool) {
        unsafe self.name = unsafe name
        unsafe self.isInMessage = isInMessage
        unsafe isPlain = false
    }

    private mutating func setOptions(_ options: UInt64) {
        unsafe self.options = options
        unsafe isPlain = false
    }

    /// Resets the name and the options: the next value is a plain part of the message.
    private mutating func forgetOptions() {
        unsafe name = nil
        unsafe options = 0
        unsafe isPlain = true
    }

    private mutating func readSpecial(into content: inout RecordContent) {
        switch EncodedSpecial(rawValue: unsafe reader.readWord()) {
        case .errno:
            let code = unsafe Int32(truncatingIfNeeded: reader.readWord())
            content.rest.suffixes.append(systemErrorText(code))
            unsafe addEntry("errno", .integer(Int64(code)), to: &content)
        case .error:
            let text = unsafe reader.readString()
            unsafe content.rest.suffixes.append(String(decoding: text, as: UTF8.self))
            unsafe addEntry("error", .text(text), isInMessage: true, to: &content)
        case .messageID: unsafe addEntry("message_id", .text(reader.readString()), to: &content)
        case .location:
            unsafe content.file = reader.readString()
            unsafe content.function = reader.readString()
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
        in content: inout RecordContent
    ) {
        let options = unsafe options
        let name = unsafe name
        unsafe forgetOptions()
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
            let entry = content.entries.count
            unsafe content.rest.hidden.append(
                .init(entry: entry, value: value, mask: mask, options: options)
            )
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

/// Decodes the arguments at the address; the content must be empty.
///
/// A function and not a method, whose metatype argument would make the optimizer emit it twice.
package func decodeRecord(
    _ arguments: UnsafeRawPointer,
    policy: PrivacyPolicy,
    into content: inout RecordContent
) {
    var reader = unsafe EncodedReader(position: arguments)
    let tags = unsafe reader.readPlainItems(tags: reader.readWord(), into: &content)
    // Most records are nothing else.
    if tags == EncodedKind.end {
        content.messageLength = content.text.count
    } else {
        unsafe RecordDecoder.decodeRest(tags, reader, policy: policy, into: &content)
    }
}

/// What can be written only after all arguments of a record were read; few records have any.
@safe
struct DecodedRest {
    /// What ends the message, in the order in which it was written: errors and errno texts.
    var suffixes: [String] = []
    /// The private values that are no part of the message: they are masked when it has ended.
    var hidden: [Hidden] = unsafe []

    /// Whether there is nothing of it.
    var isEmpty: Bool { unsafe suffixes.isEmpty && hidden.isEmpty }

    /// A private value, and which entry it belongs to.
    @unsafe
    struct Hidden {
        let entry: Int
        let value: RecordContent.Value
        let mask: LogPrivacy.Mask
        let options: UInt64
    }
}
