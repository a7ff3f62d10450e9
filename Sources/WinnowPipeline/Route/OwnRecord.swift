// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// A record that the pipeline itself has to say to one sink: a loss, an outage, a recovery.
///
/// It has the number 0, as it is no record of the program's, and the category `winnow`.
enum OwnRecord {
    /// The category of everything that Winnow says itself.
    static let category = Categories.find("winnow").cell

    /// Lends a record with the message and the fields, and its encoding, to the body: one of this process, or of another
    /// that is dead.
    static func withRecord<Failure: Error>(
        _ text: String,
        level: Level,
        fields: [Field] = [],
        at timestamp: UInt64 = cwinnow_clock_realtime(),
        of process: (id: Int32, run: UInt32)? = nil,
        _ body: (borrowing Record, UnsafeRawPointer) throws(Failure) -> Void
    ) throws(Failure) {
        var encoder = LogMessage.StringInterpolation(detachedFor: 1)
        encoder.appendInterpolation(text)
        encoder.appendFields(fields)
        encoder.close()
        guard let owner = encoder.owner else { return }
        defer { withExtendedLifetime(owner) {} }
        let arguments = unsafe Encoder.start(of: owner)
        var content = RecordContent()
        unsafe RecordDecoder.decode(arguments, policy: .show, into: &content)
        var header = unsafe RecordHeader(category: unsafe category.pointer, level: level)
        header.byteCount = unsafe UInt64(encoder.position - owner.base)
        header.timestamp = timestamp
        header.threadID = cwinnow_thread_id()
        header.processID = process?.id ?? cwinnow_process_id()
        header.run = process?.run ?? RunIdentity.current
        try Record.withRecord(header: header, content: content) { record throws(Failure) in
            unsafe try body(record, unsafe arguments)
        }
    }

    /// Returns the message of a record that was kept.
    static func text(of kept: DetachedBuffer) -> String {
        var content = RecordContent()
        unsafe RecordDecoder.decode(Encoder.start(of: kept), policy: .show, into: &content)
        let header = unsafe UnsafePointer(kept.base.assumingMemoryBound(to: RecordHeader.self))
        return unsafe withUnsafePointer(to: content) { content in
            unsafe Record(header: header, content: content).message
        }
    }

    /// Writes a record with the message and the fields to the sink, whose lock is held.
    static func write(
        _ text: String,
        level: Level,
        fields: [Field] = [],
        at timestamp: UInt64 = cwinnow_clock_realtime(),
        to sink: any Sink
    ) throws(SinkError) {
        unsafe try withRecord(text, level: level, fields: fields, at: timestamp) {
            record,
            _ throws(SinkError) in
            try sink.write(record)
        }
    }
}
