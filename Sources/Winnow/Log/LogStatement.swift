// SPDX-License-Identifier: Apache-2.0

public import WinnowCore

/// A category at a level, ready to be called: `log.notice`, `Log.error`.
///
/// It is a value and not a method, so that its forms are written once and not for each of the
/// eight levels and their statics: a program calls it as it would a method.
/// ```swift
/// log.notice("listening on \(port, as: "port")")
/// ```
///
/// `Floor` stands for the floor of the module in which the statement is written; no program names it.
///
/// Every form of the call is MT-Safe and AS-Unsafe. It never throws, never traps and keeps errno.
@frozen
public struct LogStatement<Floor>: Sendable {
    @usableFromInline let statement: Statement

    @inlinable
    @inline(always)
    init(log: Log, level: UInt8) {
        statement = Statement(log: log, level: level)
    }

    /// Whether the module of the statement compiles statements of the level.
    @inlinable var isKept: Bool {
        @inline(always) get { Level.isKept(statement.level, above: Floor.self) }
    }

    @inlinable var floor: Int32 {
        @inline(always) get { Level.maximum(of: Floor.self) }
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
