// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// One log event on its way to a sink or a formatter.
///
/// It is lent for the duration of a call and cannot be copied: it points into the buffer that the
/// log call wrote. To keep something, keep the values of its properties, which are copies.
///
/// Nothing changes it while it is lent: MT-Safe. AS-Unsafe heap, because of copies and buffers.
@safe
@frozen
public struct Record: ~Copyable {
    // SAFETY: whoever makes a record keeps header and content alive for as long as it is lent.
    @usableFromInline let place: UnsafePointer<RecordHeader>
    @usableFromInline let content: UnsafePointer<RecordContent>

    /// What is known of the record beside its arguments.
    @export(implementation) package var header: RecordHeader { unsafe place.pointee }

    /// Lends a decoded record to the body.
    package static func withRecord<Result, Failure: Error>(
        header: RecordHeader,
        content: borrowing RecordContent,
        _ body: (borrowing Record) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var outcome: Swift.Result<Result, Failure>?
        unsafe withUnsafePointer(to: header) { header in
            unsafe withUnsafePointer(to: content) { content in
                let record = unsafe Record(header: header, content: content)
                do throws(Failure) {
                    outcome = .success(try body(record))
                } catch {
                    outcome = .failure(error)
                }
            }
        }
        // The body above has run exactly once.
        return unsafe try outcome.unsafelyUnwrapped.get()
    }

    /// Makes a record of a header and a content, which the caller must keep alive and unchanged while the
    /// record exists.
    ///
    /// This is ``withRecord(header:content:_:)`` for the hot path: that one is generic, and looks up types at
    /// run time when another module calls it.
    @export(implementation)
    package init(
        header: UnsafePointer<RecordHeader>,
        content: UnsafePointer<RecordContent>
    ) {
        unsafe place = unsafe header
        unsafe self.content = unsafe content
    }

    /// The severity.
    public var level: Level { header.level }

    /// When the record was accepted, in nanoseconds since 1970; for a captured line, when it was
    /// printed.
    public var timestamp: UInt64 { header.timestamp }

    /// The number of the record in this process, from 1 and without gaps; 0 for a report of
    /// Winnow's own about a single sink.
    public var sequence: UInt64 { header.sequence }

    /// The number of the record among those of its level in this process, from 1 and without gaps;
    /// 0 as for ``sequence``.
    ///
    /// A sink that gets a level gets all of its numbers, so a gap is a loss.
    public var levelSequence: UInt64 { header.levelSequence }

    /// A random number for each run of a program, and a new one in the child of a fork, because process
    /// numbers are reused.
    public var run: UInt32 { header.run }

    /// The thread that logged, as in gettid(2).
    public var threadID: Int32 { header.threadID }

    /// The process that logged, as in getpid(2).
    public var processID: Int32 { header.processID }

    /// The category; empty for the static methods of `Log`.
    public var category: String {
        unsafe String(decoding: categoryBytes, as: UTF8.self)
    }

    /// The message, with private values already masked.
    public var message: String {
        unsafe withMessage { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// The fields in the order of the call, including those in the message.
    public var fields: [Field] {
        var fields: [Field] = []
        unsafe forEachField { name, value, _ in
            unsafe fields.append(
                Field(unsafe String(decoding: name, as: UTF8.self), value: unsafe value, of: self)
            )
        }
        return fields
    }

    /// The place of the log call in the source.
    public var location: SourceLocation {
        SourceLocation(
            fileID: unsafe String(decoding: fileBytes, as: UTF8.self),
            function: unsafe String(decoding: functionBytes, as: UTF8.self),
            line: header.line
        )
    }

    /// Appends the bytes of the message to a buffer, as they are.
    ///
    /// They may contain anything, including line breaks and escape sequences: a formatter must make
    /// them harmless first.
    public func appendMessage(to buffer: inout ByteBuffer) {
        unsafe withMessage { unsafe buffer.append($0) }
    }
}

/// The record as our own formatters and sinks read it: without copies.
extension Record {
    @export(implementation) package var categoryBytes: UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(header.category.name)
    }

    package var fileBytes: UnsafeRawBufferPointer {
        if let file = unsafe content.pointee.file { return unsafe file }
        return unsafe header.file.bytes
    }

    package var functionBytes: UnsafeRawBufferPointer {
        if let function = unsafe content.pointee.function { return unsafe function }
        return unsafe header.function.bytes
    }

    /// The bytes of the file's name that precede its first slash.
    package var moduleBytes: UnsafeRawBufferPointer {
        let file = unsafe fileBytes
        let slash = unsafe file.firstIndex(of: UInt8(ascii: "/")) ?? 0
        return unsafe UnsafeRawBufferPointer(rebasing: file[..<slash])
    }

    /// The number of fields.
    @export(implementation) package var fieldCount: Int { unsafe content.pointee.entries.count }

    /// The fields, as they were decoded.
    @export(implementation) package var fieldEntries: UnsafeBufferPointer<RecordContent.Entry> {
        unsafe content.pointee.entries.all
    }

    /// The bytes of the message.
    @export(implementation) package var messageBytes: UnsafeRawBufferPointer {
        let bytes = unsafe content.pointee.text.unsafeBytes
        return unsafe UnsafeRawBufferPointer(
            start: bytes.baseAddress,
            count: content.pointee.messageLength
        )
    }

    /// Calls the body with the bytes of the message.
    package func withMessage<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        unsafe body(messageBytes)
    }

    /// Calls the body with each field: its name, its value, and whether it is in the message too.
    package func forEachField(
        _ body: (UnsafeRawBufferPointer, RecordContent.Value, Bool) -> Void
    ) {
        unsafe content.pointee.entries.forEach {
            unsafe body($0.name, $0.value, $0.isInMessage)
        }
    }

    /// The bytes of a value that is a text; none of another.
    @export(implementation)
    @inline(__always)
    package func textBytes(of value: RecordContent.Value) -> UnsafeRawBufferPointer {
        switch unsafe value {
        case .text(let bytes), .json(let bytes): unsafe bytes
        case .rendered(let offset, let count):
            unsafe UnsafeRawBufferPointer(
                rebasing: content.pointee.text.unsafeBytes[offset..<offset + count]
            )
        default: unsafe UnsafeRawBufferPointer(start: nil, count: 0)
        }
    }

    /// Calls the body with the bytes of a value that is a text; nil where it is none.
    package func withText<Result>(
        of value: RecordContent.Value,
        _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result? {
        unsafe content.pointee.withText(of: value, body)
    }
}

extension Field {
    /// Copies a field out of a record.
    fileprivate init(_ name: String, value: RecordContent.Value, of record: borrowing Record) {
        let copy: FieldValue =
            switch unsafe value {
            case .text, .rendered:
                .string(
                    unsafe record.withText(of: value) { unsafe String(decoding: $0, as: UTF8.self) }
                        ?? ""
                )
            case .integer(let number): .integer(number)
            case .unsigned(let number): .unsigned(number)
            case .double(let number): .double(number)
            case .bool(let truth): .bool(truth)
            case .null: .null
            case .json(let text):
                .json(JSONText(valid: unsafe String(decoding: text, as: UTF8.self)))
            }
        self.init(name, copy)
    }
}
