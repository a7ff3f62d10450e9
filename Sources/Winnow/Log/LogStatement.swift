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
@safe
public struct LogStatement: @unchecked Sendable {
    // SAFETY: the cell lives as long as the program; its mask is atomic, the rest never changes.
    @usableFromInline let cell: UnsafeMutablePointer<cwinnow_category>
    /// The raw value of the level: a literal, so that the test of the floor folds without an
    /// optimizer too.
    @usableFromInline let level: UInt8

    @inlinable
    @inline(always)
    init(cell: UnsafeMutablePointer<cwinnow_category>, level: UInt8) {
        unsafe self.cell = unsafe cell
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
        line: UInt32 = #line
    ) {
        guard isKept, let call = open() else { return }
        noteBegin(file, line)
        var text = message()
        adopt(&text, for: call)
        text.encoder.append(error: error(), errno: errno(), messageID: messageID())
        text.encoder.appendFields(fields().elements)
        close(text, file: file, function: function, line: line)
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
        line: UInt32 = #line
    ) {
        guard isKept, let call = open() else { return }
        noteBegin(file, line)
        var text = message()
        adopt(&text, for: call)
        text.encoder.append(error: error(), errno: errno(), messageID: messageID())
        text.encoder.appendFields(Fields(fields()).elements)
        close(text, file: file, function: function, line: line)
    }
}

/// What every form of a log statement does.
extension LogStatement {
    /// Whether the calling module compiles statements of the level.
    @inlinable
    @inline(always)
    var isKept: Bool { Level.isKept(level) }

    /// Opens a record where the filter lets it through: one load of the category's mask.
    ///
    /// Returns the token of the call whose message is waited for.
    @inlinable
    @inline(always)
    func open() -> UInt64? {
        guard unsafe cwinnow_category_mask(cell) & (1 &<< UInt32(level)) != 0,
            let start = unsafe Gate.open(cell, level)
        else { return nil }
        return unsafe cwinnow_cursor_arm(start)
    }

    /// Notes the statement in the program's table, which is read by `winnow stripped`.
    @inlinable
    @inline(always)
    func noteBegin(_ file: StaticString, _ line: UInt32) {
        guard file.hasPointerRepresentation else { return }
        unsafe cwinnow_statement_note(file.utf8Start, line, Int32(level), Level.staticMaximum)
    }

    /// Takes a message that was not written into the buffer of this call.
    @inlinable
    @inline(always)
    func adopt(_ message: inout LogMessage, for call: UInt64) {
        cwinnow_statement_note_end()
        if message.encoder.token == Encoder.literalToken { message.encoder.placeLiteral() }
        if _slowPath(message.encoder.token != call) { message.encoder.adopt() }
    }

    @inlinable
    @inline(always)
    func close(
        _ message: LogMessage,
        file: StaticString,
        function: StaticString,
        line: UInt32
    ) {
        unsafe Gate.close(message, cell, level, file, function, line)
    }
}

/// The door between what is inlined into the client and the pipeline.
@usableFromInline
enum Gate {
    /// Opens a record; starts the system with the first of the process.
    ///
    /// Nil where it is filtered.
    @usableFromInline
    @inline(never)
    static func open(
        _ cell: UnsafeMutablePointer<cwinnow_category>,
        _ level: UInt8
    ) -> UnsafeMutablePointer<UInt8>? {
        if !Pipeline.isRunning { Startup.startFromEnvironment() }
        guard let level = Level(rawValue: level), let start = unsafe Pipeline.open(cell, level)
        else { return nil }
        return unsafe start.assumingMemoryBound(to: UInt8.self)
    }

    /// Ends the record that was opened last on this thread.
    @usableFromInline
    @inline(never)
    static func close(
        _ message: LogMessage,
        _ cell: UnsafeMutablePointer<cwinnow_category>,
        _ level: UInt8,
        _ file: StaticString,
        _ function: StaticString,
        _ line: UInt32
    ) {
        // The level has passed `open`.
        let level = unsafe Level(rawValue: level).unsafelyUnwrapped
        var header = unsafe RecordHeader(category: cell, level: level)
        header.setLocation(file: file, function: function, line: line)
        Pipeline.close(message, header: header)
    }
}
