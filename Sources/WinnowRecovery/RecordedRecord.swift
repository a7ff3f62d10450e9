// SPDX-License-Identifier: Apache-2.0

package import CWinnow
package import WinnowCore

/// A record that a process has left, as it can be decoded in this one: with one field more, `recovered`.
@safe
package struct RecordedRecord: ~Copyable, @unchecked Sendable {
    // SAFETY: the buffer holds a header and arguments that were checked, whose literals are there as long as it is; they are
    // not written any more.

    /// Finds or makes the cell of a category in this process.
    package typealias FindCell = (_ name: String) -> UnsafeMutablePointer<cwinnow_cell>

    /// The name of the field.
    private static let field: StaticString = "recovered"

    private let buffer: UnsafeMutableRawBufferPointer
    private let literals: RecordedLiterals

    /// Copies a record out of a file; nil where it is damaged: some part of it is none.
    ///
    /// - Parameters:
    ///   - record: Where it lies, and what is known of it.
    ///   - file: The file.
    ///   - literals: Those of the process.
    ///   - findCell: Returns the cell that its category has in this process.
    package init?(
        _ record: LeftRecord,
        in file: RecordedFile,
        _ literals: RecordedLiterals,
        _ findCell: FindCell
    ) {
        guard let header = RecordedHeader(at: record.call, in: file) else { return nil }
        let arguments = record.arguments(in: file)
        let size = RecordHeader.byteCount + arguments.count
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: size + EncodingEnd.fieldByteCount,
            alignment: 16
        )
        unsafe record.putHeader(to: buffer, in: file)
        let body = unsafe UnsafeMutableRawBufferPointer(
            rebasing: buffer[RecordHeader.byteCount...]
        )
        unsafe body.copyBytes(from: arguments)
        guard let count = unsafe Self.check(body, arguments.count, literals) else {
            unsafe buffer.deallocate()
            return nil
        }
        unsafe buffer.storeBytes(
            of: UInt64(RecordHeader.byteCount + count),
            toByteOffset: RecordHeader.callOffset,
            as: UInt64.self
        )
        unsafe header.relocate(buffer, to: findCell(header.category), literals)
        unsafe self.buffer = unsafe buffer
        self.literals = literals
    }

    deinit {
        unsafe buffer.deallocate()
    }

    /// Checks the arguments, which have so many bytes, and appends the field; returns the bytes that there are then.
    private static func check(
        _ body: UnsafeMutableRawBufferPointer,
        _ count: Int,
        _ literals: RecordedLiterals
    ) -> Int? {
        let arguments = unsafe UnsafeMutableRawBufferPointer(rebasing: body[..<count])
        let end = unsafe EncodingCheck.check(arguments) { literals.literal(for: $0) }
        guard let end, end.byteCount == count else { return nil }
        return unsafe end.append(field, to: body)
    }

    /// Calls the body with the record as it is encoded, which is there until the body returns.
    package borrowing func withEncoded<Result>(_ body: (EncodedRecord) -> Result) -> Result {
        let start = unsafe buffer.baseAddress.unsafelyUnwrapped
        let header = unsafe start.assumingMemoryBound(to: RecordHeader.self)
        let arguments = unsafe UnsafeRawPointer(start + RecordHeader.byteCount)
        return unsafe body(EncodedRecord(header: header, arguments: arguments))
    }

    /// Calls the body with the record as a sink gets it.
    ///
    /// - Parameters:
    ///   - privacy: What becomes of private values.
    ///   - body: Gets the record, which it cannot keep.
    /// - Returns: What the body returns.
    package borrowing func withRecord<Result>(
        privacy: PrivacyPolicy,
        _ body: (borrowing Record) -> Result
    ) -> Result {
        var content = RecordContent()
        return unsafe withEncoded { encoded in
            unsafe RecordDecoder.decode(encoded.arguments, policy: privacy, into: &content)
            return Record.withRecord(header: unsafe encoded.header.pointee, content: content, body)
        }
    }
}

extension LeftRecord {
    /// Where the header of its call begins.
    fileprivate var call: Int {
        switch place {
        case .queue(let range): range.lowerBound + RecordHeader.callOffset
        case .ring(let call, _), .apart(let call, _): call
        }
    }

    /// The bytes of its arguments, or of some that stand for them.
    fileprivate func arguments(in file: RecordedFile) -> [UInt8] {
        switch place {
        case .queue(let range):
            return Array(file.bytes[range.dropFirst(RecordHeader.byteCount)])
        case .ring(_, let range): return Array(file.bytes[range])
        case .apart(_, let byteCount):
            let text = "<a message of \(byteCount) bytes, which had no room in the recorder>"
            let padded = text.utf8.count + (8 - text.utf8.count % 8) % 8
            var bytes = [UInt8](repeating: 0, count: 16 + padded)
            bytes[0] = UInt8(EncodedKind.string)
            bytes[8] = UInt8(text.utf8.count)
            bytes.replaceSubrange(16..<16 + text.utf8.count, with: text.utf8)
            return bytes
        }
    }

    /// Writes its header, but for what is another in this process.
    fileprivate func putHeader(to buffer: UnsafeMutableRawBufferPointer, in file: RecordedFile) {
        let call = RecordHeader.callOffset
        unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[call...])
            .copyBytes(from: file.bytes[self.call..<self.call + CallHeader.byteCount])
        if case .queue(let range) = place {
            return unsafe buffer.copyBytes(from: file.bytes[range.prefix(call)])
        }
        unsafe buffer.storeBytes(of: sequence, as: UInt64.self)
        unsafe buffer.storeBytes(of: levelSequence, toByteOffset: 8, as: UInt64.self)
        unsafe buffer.storeBytes(of: thread, toByteOffset: 16, as: Int32.self)
        unsafe buffer.storeBytes(of: file.processID, toByteOffset: 20, as: Int32.self)
        unsafe buffer.storeBytes(of: file.run ?? 0, toByteOffset: 24, as: UInt32.self)
        unsafe buffer.storeBytes(of: 0, toByteOffset: 28, as: UInt32.self)
        unsafe buffer.storeBytes(of: time, toByteOffset: call + 8, as: UInt64.self)
    }
}
