// SPDX-License-Identifier: Apache-2.0

public import CWinnow
public import WinnowCore

/// A category, ready to be called with a level that is known only at run time: `log.log`.
///
/// ```swift
/// log.log(isExpected ? .info : .warning, "connection closed")
/// ```
@frozen
@safe
public struct LeveledStatement: @unchecked Sendable {
    // SAFETY: the cell lives as long as the program; its mask is atomic, the rest never changes.
    @usableFromInline let cell: UnsafeMutablePointer<cwinnow_category>

    @inlinable
    @inline(always)
    init(cell: UnsafeMutablePointer<cwinnow_category>) {
        unsafe self.cell = unsafe cell
    }

    @inlinable
    @inline(always)
    func statement(_ level: Level) -> LogStatement {
        unsafe LogStatement(cell: cell, level: level.literal)
    }

    /// Logs a message at the level, with fields whose number is known only at run time.
    @inlinable
    @inline(always)
    public func callAsFunction(
        _ level: Level,
        _ message: @autoclosure () -> LogMessage,
        error: @autoclosure () -> (any Error)? = nil,
        errno: @autoclosure () -> Int32? = nil,
        messageID: @autoclosure () -> MessageID? = nil,
        fields: @autoclosure () -> Fields,
        file: StaticString = #fileID,
        function: StaticString = #function,
        line: UInt32 = #line
    ) {
        let statement = statement(level)
        guard statement.isKept, let call = statement.open() else { return }
        statement.noteBegin(file, line)
        var text = message()
        statement.adopt(&text, for: call)
        text.encoder.append(error: error(), errno: errno(), messageID: messageID())
        text.encoder.appendFields(fields().elements)
        statement.close(text, file: file, function: function, line: line)
    }

    /// The same with any collection of fields.
    @inlinable
    @inline(always)
    public func callAsFunction<Elements: Sequence<Field>>(
        _ level: Level,
        _ message: @autoclosure () -> LogMessage,
        error: @autoclosure () -> (any Error)? = nil,
        errno: @autoclosure () -> Int32? = nil,
        messageID: @autoclosure () -> MessageID? = nil,
        fields: @autoclosure () -> Elements,
        file: StaticString = #fileID,
        function: StaticString = #function,
        line: UInt32 = #line
    ) {
        let statement = statement(level)
        guard statement.isKept, let call = statement.open() else { return }
        statement.noteBegin(file, line)
        var text = message()
        statement.adopt(&text, for: call)
        text.encoder.append(error: error(), errno: errno(), messageID: messageID())
        text.encoder.appendFields(Fields(fields()).elements)
        statement.close(text, file: file, function: function, line: line)
    }
}
