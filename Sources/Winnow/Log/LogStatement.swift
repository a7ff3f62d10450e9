// SPDX-License-Identifier: Apache-2.0

public import CWinnow
public import WinnowCore
internal import WinnowPipeline

/// A category at a level, ready to be called: `log.notice`, `Log.error`.
///
/// It is a value and not a method, so that its forms are written once and not for each of the
/// eight levels and their statics: a program calls it as it would a method.
/// ```swift
/// log.notice("listening on \(port, as: "port")")
/// ```
@frozen
public struct LogStatement: Sendable {
    @usableFromInline let log: Log
    /// The raw value of the level: a literal, so that the test of the floor folds without an
    /// optimizer too.
    @usableFromInline let level: UInt8

    @inlinable
    @inline(always)
    init(log: Log, level: UInt8) {
        self.log = log
        self.level = level
    }

    /// Logs a message with fields whose number is known only at run time.
    ///
    /// The arguments are those of the other forms.
    @inlinable
    @inline(always)
    public func callAsFunction(
        _ message: @autoclosure () -> LogMessage,
        error: @autoclosure () -> (any Error)? = nil,
        errno: @autoclosure () -> Int32? = nil,
        messageID: @autoclosure () -> MessageID? = nil,
        fields: @autoclosure () -> Fields,
        file: StaticString = #fileID,
        function: StaticString = #function,
        line: UInt32 = #line,
        column: UInt32 = #column
    ) {
        guard isKept, let call = open(file, line, column) else { return }
        var text = message()
        adopt(&text, for: call)
        text.encoder.append(error: error(), errno: errno(), messageID: messageID())
        text.encoder.appendFields(fields().elements)
        close(text, file, function, line, column)
    }

    /// The same with any collection of fields.
    @inlinable
    @inline(always)
    public func callAsFunction<Elements: Sequence<Field>>(
        _ message: @autoclosure () -> LogMessage,
        error: @autoclosure () -> (any Error)? = nil,
        errno: @autoclosure () -> Int32? = nil,
        messageID: @autoclosure () -> MessageID? = nil,
        fields: @autoclosure () -> Elements,
        file: StaticString = #fileID,
        function: StaticString = #function,
        line: UInt32 = #line,
        column: UInt32 = #column
    ) {
        guard isKept, let call = open(file, line, column) else { return }
        var text = message()
        adopt(&text, for: call)
        text.encoder.append(error: error(), errno: errno(), messageID: messageID())
        text.encoder.appendFields(Fields(fields()).elements)
        close(text, file, function, line, column)
    }
}

/// What every form of a log statement does.
extension LogStatement {
    /// Whether the calling module compiles statements of the level.
    @inlinable
    @inline(always)
    var isKept: Bool { Level.isKept(level) }

    /// Opens a record where the filter lets it through, one load of the category's mask, and then
    /// the rate limit.
    ///
    /// Returns the token of the call whose message is waited for.
    @inlinable
    @inline(always)
    func open(_ file: StaticString, _ line: UInt32, _ column: UInt32) -> UInt64? {
        guard unsafe cwinnow_category_mask(log.cell) & (1 &<< UInt32(level)) != 0,
            log.limit == 0 || Gate.admits(log, level, file, line, column),
            let start = unsafe shortWay ?? Gate.open(log.cell, level)
        else { return nil }
        noteBegin(file, line)
        return unsafe cwinnow_cursor_arm(start)
    }

    /// Where the arguments go in the ring of the thread; nil where the call must take the long way.
    @inlinable
    @inline(always)
    var shortWay: UnsafeMutablePointer<UInt8>? {
        // What only the long way knows to append: see `Gate.close`.
        guard log.limit == 0, log.context == nil else { return nil }
        return unsafe cwinnow_ring_open(level)
    }

    /// Notes the statement in the program's table, which is read by `winnow stripped`.
    @inlinable
    @inline(always)
    func noteBegin(_ file: StaticString, _ line: UInt32) {
        guard file.hasPointerRepresentation else { return }
        unsafe cwinnow_statement_note(file.utf8Start, line, Int32(level), Level.staticMaximum)
    }

    /// Notes that the message of the statement is complete.
    @inlinable
    @inline(always)
    func noteEnd() {
        cwinnow_statement_note_end()
    }

    /// Takes a message that was not written into the buffer of this call.
    @inlinable
    @inline(always)
    func adopt(_ message: inout LogMessage, for call: UInt64) {
        noteEnd()
        if message.encoder.token == Encoder.literalToken { message.encoder.placeLiteral() }
        if _slowPath(message.encoder.token != call) {
            message.encoder = message.encoder.adopted()
        }
    }

    @inlinable
    @inline(always)
    func close(
        _ message: LogMessage,
        _ file: StaticString,
        _ function: StaticString,
        _ line: UInt32,
        _ column: UInt32
    ) {
        // SAFETY: the call is open, so that its header lies in front of its arguments.
        let header = unsafe cwinnow_cursor_header().assumingMemoryBound(to: RecordHeader.self)
        unsafe header.pointee.category = unsafe log.cell
        unsafe header.pointee.level = Level(rawValue: level).unsafelyUnwrapped
        unsafe header.pointee.setLocation(file: file, function: function, line: line)
        guard message.encoder.owner == nil, let ring = unsafe cwinnow_ring_opened() else {
            return unsafe Gate.close(message.encoder.parts, log, file, line, column)
        }
        message.encoder.close()
        if unsafe cwinnow_ring_close(ring, message.encoder.position) { Gate.wakeWorker() }
    }
}
