// SPDX-License-Identifier: Apache-2.0

/// A destination of records.
///
/// The laws:
/// 1. The pipeline calls one method of a sink at a time, from any thread and no signal handler.
/// 2. ``write(_:)`` returns when the record is delivered, or throws when it is not; never both. A
///    record is never delivered in part.
/// 3. ``write(_:)`` does not wait longer than some tens of milliseconds. What cannot be delivered
///    by then is thrown as ``SinkError/Code/busy``: the pipeline keeps the record and tries again.
/// 4. One record becomes one record at the destination, whatever bytes it holds.
/// 5. A sink may log. Its records do not reach the sink itself, and what other sinks log while they take
///    such a record reaches no sink and is counted as lost.
/// 6. ``flush()`` returns when what was written is out of the sink's own buffers.
/// 7. After an error the sink stays usable: the next call tries again, reconnects, reopens.
/// 8. The record is lent: nothing of it is read after ``write(_:)`` has returned.
/// 9. A call raises no signal, SIGPIPE among them, and one that fails leaves no descriptor open.
///
/// `SinkConformance` of the product WinnowTesting checks a sink against them.
public protocol Sink: AnyObject, Sendable {
    /// Delivers one record.
    ///
    /// - Throws: ``SinkError`` if it was not delivered; the code says whether to try again.
    func write(_ record: borrowing Record) throws(SinkError)

    /// Hands on what the sink itself holds back, at the end of a batch and at exit.
    ///
    /// - Throws: ``SinkError`` if something is still held back.
    func flush() throws(SinkError)

    /// Reopens the destination, after SIGHUP or when a log file was moved away.
    ///
    /// - Throws: ``SinkError`` if that was not possible; the sink stays usable.
    func reopen() throws(SinkError)
}

extension Sink {
    /// Does nothing, and throws nothing: the sink holds nothing back.
    ///
    /// MT-Safe, AS-Safe.
    public func flush() throws(SinkError) {}

    /// Does nothing, and throws nothing: the sink has nothing to open anew.
    ///
    /// MT-Safe, AS-Safe.
    public func reopen() throws(SinkError) {}
}

/// Turns a record into bytes.
///
/// The laws:
/// 1. What it appends contains no byte of the record's own texts that could end the record, or begin
///    another, at the destination of the formatter.
/// 2. The same record gives the same bytes, whatever was formatted before: a record that a sink
///    refused is formatted again.
///
/// `FormatterConformance` of the product WinnowTesting checks a formatter against them. In a file that
/// imports Foundation, which has a `Formatter` too, it is `Winnow.Formatter`.
public protocol Formatter: Sendable {
    /// Appends one whole record, without removing what the buffer already contains.
    ///
    /// Any thread may call it, and several at once; no signal handler does.
    func format(_ record: borrowing Record, into buffer: inout ByteBuffer)
}
