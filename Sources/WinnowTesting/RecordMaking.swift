// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
public import WinnowCore

/// Lends a record that no log call made, for the tests of sinks and formatters.
///
/// ```swift
/// let line = withRecord("disk \("sda", as: "disk") is full", level: .error) { record in
///     record.formatted(by: formatter)
/// }
/// ```
///
/// MT-Safe, AS-Unsafe heap.
/// - Parameters:
///   - message: The message; it may hold anything that a log call's may.
///   - level: The severity.
///   - category: The category.
///   - fields: The fields that do not stand in the message.
///   - timestamp: Nanoseconds since 1970; the default is 2026-11-21T09:30:15.123456Z.
///   - sequence: The number of the record.
///   - levelSequence: Its number among those of its level.
///   - run: The run of the program that is said to have logged.
///   - threadID: The thread that is said to have logged.
///   - processID: The process that is said to have logged.
///   - location: Where the call is said to stand.
///   - privacy: What becomes of private values.
///   - body: Gets the record, which it cannot keep.
/// - Returns: What the body returns.
/// - Throws: What the body throws.
public func withRecord<Result, Failure: Error>(
    _ message: LogMessage,
    level: Level = .notice,
    category: String = "",
    fields: Fields = [:],
    timestamp: UInt64 = 1_795_253_415_123_456_000,
    sequence: UInt64 = 1,
    levelSequence: UInt64 = 1,
    run: UInt32 = 0x9F3C_01AA,
    threadID: Int32 = 12,
    processID: Int32 = 10,
    location: SourceLocation = SourceLocation(
        fileID: "TestModule/Test.swift",
        function: "test()",
        line: 42
    ),
    privacy: PrivacyPolicy = .redact,
    _ body: (borrowing Record) throws(Failure) -> Result
) throws(Failure) -> Result {
    var encoder = message.encoder
    encoder.adopt()
    encoder.appendFields(fields.elements)
    encoder.appendLocation(file: location.fileID, function: location.function)
    encoder.close()
    // A message that no log call waits for owns its memory.
    let arguments = unsafe Encoder.start(of: encoder.owner.unsafelyUnwrapped)
    var content = RecordContent()
    unsafe RecordDecoder.decode(arguments, policy: privacy, into: &content)

    var header = unsafe RecordHeader(category: makeCategory(Array(category.utf8)), level: level)
    header.timestamp = timestamp
    header.sequence = sequence
    header.levelSequence = levelSequence
    header.run = run
    header.line = location.line
    header.threadID = threadID
    header.processID = processID
    defer { withExtendedLifetime(encoder) {} }
    return try Record.withRecord(header: header, content: content, body)
}

extension Record {
    /// Returns what a formatter makes of the record; bytes that are not UTF-8 become U+FFFD.
    ///
    /// MT-Safe, AS-Unsafe heap.
    public func formatted(by formatter: some Formatter) -> String {
        var buffer = ByteBuffer()
        formatter.format(self, into: &buffer)
        return String(
            decoding: buffer.withBytes { bytes in bytes.indices.map { bytes[$0] } },
            as: UTF8.self
        )
    }
}

/// Makes the cell of a category, which is never freed: a test makes few.
func makeCategory(_ name: [UInt8]) -> UnsafeMutablePointer<cwinnow_cell> {
    let cell = unsafe name.withUnsafeBufferPointer {
        unsafe cwinnow_category_make($0.baseAddress, $0.count)
    }
    return unsafe cell ?? cwinnow_category_default()
}
