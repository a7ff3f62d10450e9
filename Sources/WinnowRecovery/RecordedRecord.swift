// SPDX-License-Identifier: Apache-2.0

package import CWinnow
package import WinnowCore

/// A record that a process has left, as it can be decoded in this one.
@safe
package struct RecordedRecord: ~Copyable {
    // SAFETY: the buffer holds a header and arguments that were checked, whose literals are there as long as it is.

    /// Finds or makes the cell of a category in this process.
    package typealias FindCell = (_ name: String) -> UnsafeMutablePointer<cwinnow_cell>

    private let buffer: UnsafeMutableRawBufferPointer
    private let literals: RecordedLiterals

    /// Copies a record out of a file; nil where it is damaged: some part of it is none.
    ///
    /// - Parameters:
    ///   - place: Where its header and its arguments lie.
    ///   - file: The file.
    ///   - literals: Those of the process.
    ///   - findCell: Returns the cell that its category has in this process.
    package init?(
        at place: Range<Int>,
        in file: RecordedFile,
        _ literals: RecordedLiterals,
        _ findCell: FindCell
    ) {
        guard let header = RecordedHeader(at: place, in: file) else { return nil }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: place.count, alignment: 16)
        unsafe buffer.copyBytes(from: file.bytes[place])
        guard unsafe Self.check(buffer, literals) else {
            unsafe buffer.deallocate()
            return nil
        }
        unsafe header.relocate(buffer, to: findCell(header.category), literals)
        unsafe self.buffer = unsafe buffer
        self.literals = literals
    }

    deinit {
        unsafe buffer.deallocate()
    }

    /// Checks the arguments, which are all that follows the header.
    private static func check(
        _ buffer: UnsafeMutableRawBufferPointer,
        _ literals: RecordedLiterals
    ) -> Bool {
        let arguments = unsafe UnsafeMutableRawBufferPointer(
            rebasing: buffer[RecordHeader.byteCount...]
        )
        let count = unsafe EncodingCheck.check(arguments) { literals.literal(for: $0) }
        return count == arguments.count
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
