// SPDX-License-Identifier: Apache-2.0

public import WinnowCore

/// A category at a level, ready to be called: `log.notice`, `Log.error`.
///
/// It is a value and not a method, so that its forms are written once and not for each of the
/// eight levels and their static properties. A program calls it like a method.
/// ```swift
/// log.notice("listening on \(port, as: "port")")
/// ```
///
/// All forms of the call take the same arguments, and evaluate each at most once, and only if the
/// record is accepted. Below the floor, they leave no trace in the program. The arguments are:
///
/// - the message, with interpolations as ``LogMessage`` describes;
/// - `error`, whose description, or `errorDescription` if it is Foundation's `LocalizedError`, ends the
///   message and becomes the field `error`;
/// - `errno`, whose text ends the message, and whose number becomes the field `errno`;
/// - `messageID`, the message's entry in a journal catalog;
/// - fields, each a name and a value of any type: numbers, Booleans and texts keep their type, arrays,
///   sets and dictionaries become JSON, everything else is described. Up to eight follow the message as
///   pairs, whose names are literals; any number follows in `fields:`, with any names.
///
/// If several fields have the same name, that of the statement wins over that of the logger,
/// `with(fields:)`, which wins over that of the task.
///
/// Every form is MT-Safe and AS-Unsafe. It never throws, never traps and keeps errno.
///
/// `Floor` is the floor of the module in which the statement is written; no program names it.
@frozen
public struct LogStatement<Floor>: Sendable {
    @usableFromInline let statement: Statement

    @export(implementation)
    @inline(always)
    init(log: Log, level: UInt8) {
        statement = Statement(log: log, level: level)
    }

    /// Whether the module of the statement compiles statements of the level.
    @export(implementation) var isKept: Bool {
        @inline(always) get { Level.isKept(statement.level, above: Floor.self) }
    }

    @export(implementation) var floor: Int32 {
        @inline(always) get { Level.maximum(of: Floor.self) }
    }

    /// Logs a message with fields whose number is known only at run time.
    ///
    /// The arguments are those of all forms: see ``LogStatement``.
    @export(implementation)
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
        guard isKept, let call = statement.open(file, function, line, column, floor: floor) else {
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
        guard isKept, let call = statement.open(file, function, line, column, floor: floor) else {
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
        guard isKept, let call = statement.open(file, function, line, column, floor: floor) else {
            return
        }
        var text = message()
        statement.adopt(&text, for: call)
        text.encoder.append(error: error(), errno: errno(), messageID: messageID())
        text.encoder.appendFields(Fields(fields()).elements)
        statement.close(&text)
    }
}
