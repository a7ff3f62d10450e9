// SPDX-License-Identifier: Apache-2.0

public import WinnowCore

/// A category, ready to be called with a level that is known only at run time: `log.log`.
///
/// ```swift
/// log.log(isExpected ? .info : .warning, "connection closed")
/// ```
///
/// Every form of the call is MT-Safe and AS-Unsafe. It never throws, never traps and keeps errno.
@frozen
public struct LeveledStatement<Floor>: Sendable {
    @usableFromInline let log: Log

    @export(implementation)
    @inline(always)
    init(log: Log) {
        self.log = log
    }

    @export(implementation)
    @inline(always)
    func statement(_ level: Level) -> Statement {
        Statement(log: log, level: level.literal)
    }

    @export(implementation)
    @inline(always)
    func isKept(_ statement: Statement) -> Bool {
        Level.isKept(statement.level, above: Floor.self)
    }

    @export(implementation) var floor: Int32 {
        @inline(always) get { Level.maximum(of: Floor.self) }
    }

    /// Logs a message at the level, with fields whose number is known only at run time.
    @export(implementation)
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
        line: UInt32 = #line,
        column: UInt32 = #column
    ) {
        let statement = statement(level)
        guard isKept(statement),
            let call = statement.open(file, function, line, column, floor: floor)
        else {
            return
        }
        var text = message()
        statement.adopt(&text, for: call)
        text.encoder.append(error: error(), errno: errno(), messageID: messageID())
        text.encoder.appendFields(fields().elements)
        statement.close(&text)
    }

    /// The same with any collection of fields.
    @export(implementation)
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
        line: UInt32 = #line,
        column: UInt32 = #column
    ) {
        let statement = statement(level)
        guard isKept(statement),
            let call = statement.open(file, function, line, column, floor: floor)
        else {
            return
        }
        var text = message()
        statement.adopt(&text, for: call)
        text.encoder.append(error: error(), errno: errno(), messageID: messageID())
        text.encoder.appendFields(Fields(fields()).elements)
        statement.close(&text)
    }

    /// The same with a dictionary, whose fields have the order of their names.
    @_disfavoredOverload
    @export(implementation)
    @inline(always)
    public func callAsFunction<Value>(
        _ level: Level,
        _ message: @autoclosure () -> LogMessage,
        error: @autoclosure () -> (any Error)? = nil,
        errno: @autoclosure () -> Int32? = nil,
        messageID: @autoclosure () -> MessageID? = nil,
        fields: @autoclosure () -> [String: Value],
        file: StaticString = #fileID,
        function: StaticString = #function,
        line: UInt32 = #line,
        column: UInt32 = #column
    ) {
        let statement = statement(level)
        guard isKept(statement),
            let call = statement.open(file, function, line, column, floor: floor)
        else {
            return
        }
        var text = message()
        statement.adopt(&text, for: call)
        text.encoder.append(error: error(), errno: errno(), messageID: messageID())
        text.encoder.appendFields(Fields(fields()).elements)
        statement.close(&text)
    }
}
