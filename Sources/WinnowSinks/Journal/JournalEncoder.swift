// SPDX-License-Identifier: Apache-2.0

package import WinnowCore
internal import WinnowFormatters

/// Turns records into the entries of journald's native protocol; no input or output.
///
/// A value that holds a line feed is written with its length in front, and every other one as
/// `NAME=value`: a value can end neither its field nor the entry. Tabs and line feeds are kept;
/// other control characters and what is not UTF-8 are made visible, so that `journalctl -o json`
/// gives text.
///
/// Source: systemd, Native Journal Protocol; specs study, section 3.1.
package struct JournalEncoder: ~Copyable {
    /// The fields of a record that an entry holds as fields.
    ///
    /// journald drops an entry of more than 1 024, and some are ours.
    private static let fieldCount = 1_000

    private let header: [UInt8]
    private var names = JournalFieldNames()

    /// Creates an encoder for the entries of one program.
    package init(identifier: String, facility: Facility) {
        var buffer = ByteBuffer()
        buffer.appendText("SYSLOG_IDENTIFIER", identifier)
        buffer.appendNumber("SYSLOG_FACILITY", UInt64(facility.rawValue))
        header = buffer.withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }

    /// Appends the entry of a record, with texts cut where it would have more bytes; nil is no bound.
    package mutating func encode(
        _ record: borrowing Record,
        atMost byteCount: Int?,
        into buffer: inout ByteBuffer
    ) {
        guard let byteCount else { return encode(record, into: &buffer) }
        buffer.append(record, atMost: byteCount) { encode($0, into: &$1) }
    }

    /// Appends the entry of a record.
    ///
    /// The category and the place in the source are left out where they are empty. Fields follow
    /// by their names made legal; those beyond the first 1 000 stand together in
    /// `WINNOW_MORE_FIELDS`, a line each.
    package mutating func encode(_ record: borrowing Record, into buffer: inout ByteBuffer) {
        unsafe record.withMessage { unsafe buffer.appendValue("MESSAGE", $0) }
        buffer.appendNumber("PRIORITY", UInt64(record.level.rawValue))
        buffer.append(header.span)
        buffer.appendNumber("TID", UInt64(UInt32(bitPattern: record.threadID)))
        appendOrigin(of: record, to: &buffer)
        buffer.append("WINNOW_RUN=")
        buffer.append(hexadecimal: record.run)
        buffer.append(UInt8(ascii: "\n"))
        buffer.appendNumber("WINNOW_SEQUENCE", record.sequence)
        buffer.appendNumber("WINNOW_LEVEL_SEQUENCE", record.levelSequence)
        buffer.appendNumber("WINNOW_TIMESTAMP", record.timestamp / 1_000)
        appendFields(of: record, to: &buffer)
    }

    private func appendOrigin(of record: borrowing Record, to buffer: inout ByteBuffer) {
        unsafe buffer.appendUnlessEmpty("CODE_FILE", record.fileBytes)
        if record.header.line > 0 {
            buffer.appendNumber("CODE_LINE", UInt64(record.header.line))
        }
        unsafe buffer.appendUnlessEmpty("CODE_FUNC", record.functionBytes)
        unsafe buffer.appendUnlessEmpty("CODE_MODULE", record.moduleBytes)
        unsafe buffer.appendUnlessEmpty("CATEGORY", record.categoryBytes)
    }

    private mutating func appendFields(of record: borrowing Record, to buffer: inout ByteBuffer) {
        guard record.fieldCount > 0 else { return }
        names.removeAll()
        // Only a report of Winnow's own has no number; no log call can make one.
        names.allowsOwnNames = record.sequence == 0
        var remaining = Self.fieldCount
        unsafe record.forEachField { name, value, _ in
            guard remaining > 0 else { return }
            remaining -= 1
            unsafe names.appendName(name, to: &buffer)
            unsafe Self.append(value, of: record, to: &buffer)
        }
        if record.fieldCount > Self.fieldCount { Self.appendMoreFields(of: record, to: &buffer) }
    }

    private static func append(
        _ value: RecordContent.Value,
        of record: borrowing Record,
        to buffer: inout ByteBuffer
    ) {
        let isText: Void? = unsafe record.withText(of: value) { bytes in
            unsafe buffer.appendFramed(bytes)
        }
        guard isText == nil else { return }
        buffer.append(UInt8(ascii: "="))
        unsafe appendPlain(value, to: &buffer)
        buffer.append(UInt8(ascii: "\n"))
    }

    private static func appendPlain(_ value: RecordContent.Value, to buffer: inout ByteBuffer) {
        switch unsafe value {
        case .integer(let number): buffer.append(decimal: number)
        case .unsigned(let number): buffer.append(decimal: number)
        case .double(let number): buffer.append(shortest: number)
        case .bool(let truth): buffer.append(truth ? "true" : "false" as StaticString)
        case .null: buffer.append("nil")
        case .text, .rendered, .json: break
        }
    }

    private static func appendMoreFields(
        of record: borrowing Record,
        to buffer: inout ByteBuffer
    ) {
        buffer.append("WINNOW_MORE_FIELDS")
        let frame = buffer.beginFrame()
        var skipped = 0
        unsafe record.forEachField { name, value, _ in
            skipped += 1
            guard skipped > fieldCount else { return }
            if skipped > fieldCount + 1 { buffer.append(UInt8(ascii: "\n")) }
            unsafe JournalField.appendName(name, to: &buffer)
            buffer.append(UInt8(ascii: "="))
            let isText: Void? = unsafe record.withText(of: value) { bytes in
                unsafe buffer.appendHarmless(bytes, keepingLineBreaks: false)
            }
            if isText == nil { unsafe appendPlain(value, to: &buffer) }
        }
        buffer.endFrame(frame)
    }
}

extension ByteBuffer {
    fileprivate mutating func appendNumber(_ name: StaticString, _ value: UInt64) {
        append(name)
        append(UInt8(ascii: "="))
        append(decimal: value)
        append(UInt8(ascii: "\n"))
    }

    fileprivate mutating func appendText(_ name: StaticString, _ value: String) {
        var value = value
        value.withUTF8 { unsafe appendValue(name, UnsafeRawBufferPointer($0)) }
    }

    fileprivate mutating func appendUnlessEmpty(
        _ name: StaticString,
        _ bytes: UnsafeRawBufferPointer
    ) {
        if unsafe !bytes.isEmpty { unsafe appendValue(name, bytes) }
    }

    fileprivate mutating func appendValue(_ name: StaticString, _ bytes: UnsafeRawBufferPointer) {
        append(name)
        unsafe appendFramed(bytes)
    }

    /// Appends what follows a name: the value, framed as it needs to be.
    fileprivate mutating func appendFramed(_ bytes: UnsafeRawBufferPointer) {
        // Most values are harmless, which is known when they are copied.
        let start = count
        append(UInt8(ascii: "="))
        let text = unsafe bytes.assumingMemoryBound(to: UInt8.self).span
        if appendHarmless(text, escaping: .line) == text.count {
            append(UInt8(ascii: "\n"))
            return
        }
        truncate(to: start)
        if unsafe bytes.contains(UInt8(ascii: "\n")) {
            let frame = beginFrame()
            unsafe appendHarmless(bytes, keepingLineBreaks: true)
            endFrame(frame)
        } else {
            append(UInt8(ascii: "="))
            unsafe appendHarmless(bytes, keepingLineBreaks: true)
            append(UInt8(ascii: "\n"))
        }
    }

    /// Begins a value of any bytes; returns where its length is to stand.
    fileprivate mutating func beginFrame() -> Int {
        append(UInt8(ascii: "\n"))
        append(repeating: 0, count: 8)
        return count - 8
    }

    /// Ends a value that began at the offset.
    fileprivate mutating func endFrame(_ offset: Int) {
        let length = UInt64(count - offset - 8).littleEndian
        unsafe Swift.withUnsafeBytes(of: length) { unsafe replace(at: offset, with: $0) }
        append(UInt8(ascii: "\n"))
    }
}
