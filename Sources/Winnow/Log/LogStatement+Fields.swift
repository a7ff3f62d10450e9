// SPDX-License-Identifier: Apache-2.0

public import WinnowCore

/// A log statement with its fields as pairs: one form for each number of fields.
///
/// Forms of fixed arity, because they cost the caller nothing; an array, a dictionary or a
/// parameter pack of the same fields costs 30 to 370 ns (hot-path study, "Fields").
///
/// ``LogStatement`` describes the arguments.
extension LogStatement {
    /// Logs a message.
    @export(implementation)
    @inline(always)
    public func callAsFunction(
        _ message: @autoclosure () -> LogMessage,
        error: @autoclosure () -> (any Error)? = nil,
        errno: @autoclosure () -> Int32? = nil,
        messageID: @autoclosure () -> MessageID? = nil,
        file: StaticString = #fileID,
        function: StaticString = #function,
        line: UInt32 = #line,
        column: UInt32 = #column
    ) {
        guard isKept, let call = statement.open(file, function, line, column, floor: floor) else {
            return
        }
        var text = message()
        statement.noteEnd()
        text.encoder.append(error: error(), errno: errno(), messageID: messageID(), for: call)
        statement.close(&text, for: call)
    }

    /// Logs a message with one field.
    @export(implementation)
    @inline(always)
    public func callAsFunction<A>(
        _ message: @autoclosure () -> LogMessage,
        error: @autoclosure () -> (any Error)? = nil,
        errno: @autoclosure () -> Int32? = nil,
        messageID: @autoclosure () -> MessageID? = nil,
        _ field1: @autoclosure () -> (StaticString, A),
        fields: @autoclosure () -> Fields? = nil,
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
        text.encoder.appendField(field1())
        text.encoder.appendFields(fields())
        statement.close(&text)
    }

    /// Logs a message with two fields.
    @export(implementation)
    @inline(always)
    public func callAsFunction<A, B>(
        _ message: @autoclosure () -> LogMessage,
        error: @autoclosure () -> (any Error)? = nil,
        errno: @autoclosure () -> Int32? = nil,
        messageID: @autoclosure () -> MessageID? = nil,
        _ field1: @autoclosure () -> (StaticString, A),
        _ field2: @autoclosure () -> (StaticString, B),
        fields: @autoclosure () -> Fields? = nil,
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
        text.encoder.appendField(field1())
        text.encoder.appendField(field2())
        text.encoder.appendFields(fields())
        statement.close(&text)
    }

    /// Logs a message with three fields.
    @export(implementation)
    @inline(always)
    public func callAsFunction<A, B, C>(
        _ message: @autoclosure () -> LogMessage,
        error: @autoclosure () -> (any Error)? = nil,
        errno: @autoclosure () -> Int32? = nil,
        messageID: @autoclosure () -> MessageID? = nil,
        _ field1: @autoclosure () -> (StaticString, A),
        _ field2: @autoclosure () -> (StaticString, B),
        _ field3: @autoclosure () -> (StaticString, C),
        fields: @autoclosure () -> Fields? = nil,
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
        text.encoder.appendField(field1())
        text.encoder.appendField(field2())
        text.encoder.appendField(field3())
        text.encoder.appendFields(fields())
        statement.close(&text)
    }

    /// Logs a message with four fields.
    @export(implementation)
    @inline(always)
    public func callAsFunction<A, B, C, D>(
        _ message: @autoclosure () -> LogMessage,
        error: @autoclosure () -> (any Error)? = nil,
        errno: @autoclosure () -> Int32? = nil,
        messageID: @autoclosure () -> MessageID? = nil,
        _ field1: @autoclosure () -> (StaticString, A),
        _ field2: @autoclosure () -> (StaticString, B),
        _ field3: @autoclosure () -> (StaticString, C),
        _ field4: @autoclosure () -> (StaticString, D),
        fields: @autoclosure () -> Fields? = nil,
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
        text.encoder.appendField(field1())
        text.encoder.appendField(field2())
        text.encoder.appendField(field3())
        text.encoder.appendField(field4())
        text.encoder.appendFields(fields())
        statement.close(&text)
    }

    /// Logs a message with five fields.
    @export(implementation)
    @inline(always)
    public func callAsFunction<A, B, C, D, E>(
        _ message: @autoclosure () -> LogMessage,
        error: @autoclosure () -> (any Error)? = nil,
        errno: @autoclosure () -> Int32? = nil,
        messageID: @autoclosure () -> MessageID? = nil,
        _ field1: @autoclosure () -> (StaticString, A),
        _ field2: @autoclosure () -> (StaticString, B),
        _ field3: @autoclosure () -> (StaticString, C),
        _ field4: @autoclosure () -> (StaticString, D),
        _ field5: @autoclosure () -> (StaticString, E),
        fields: @autoclosure () -> Fields? = nil,
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
        text.encoder.appendField(field1())
        text.encoder.appendField(field2())
        text.encoder.appendField(field3())
        text.encoder.appendField(field4())
        text.encoder.appendField(field5())
        text.encoder.appendFields(fields())
        statement.close(&text)
    }

    /// Logs a message with six fields.
    @export(implementation)
    @inline(always)
    public func callAsFunction<A, B, C, D, E, F>(
        _ message: @autoclosure () -> LogMessage,
        error: @autoclosure () -> (any Error)? = nil,
        errno: @autoclosure () -> Int32? = nil,
        messageID: @autoclosure () -> MessageID? = nil,
        _ field1: @autoclosure () -> (StaticString, A),
        _ field2: @autoclosure () -> (StaticString, B),
        _ field3: @autoclosure () -> (StaticString, C),
        _ field4: @autoclosure () -> (StaticString, D),
        _ field5: @autoclosure () -> (StaticString, E),
        _ field6: @autoclosure () -> (StaticString, F),
        fields: @autoclosure () -> Fields? = nil,
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
        text.encoder.appendField(field1())
        text.encoder.appendField(field2())
        text.encoder.appendField(field3())
        text.encoder.appendField(field4())
        text.encoder.appendField(field5())
        text.encoder.appendField(field6())
        text.encoder.appendFields(fields())
        statement.close(&text)
    }

    /// Logs a message with seven fields.
    @export(implementation)
    @inline(always)
    public func callAsFunction<A, B, C, D, E, F, G>(
        _ message: @autoclosure () -> LogMessage,
        error: @autoclosure () -> (any Error)? = nil,
        errno: @autoclosure () -> Int32? = nil,
        messageID: @autoclosure () -> MessageID? = nil,
        _ field1: @autoclosure () -> (StaticString, A),
        _ field2: @autoclosure () -> (StaticString, B),
        _ field3: @autoclosure () -> (StaticString, C),
        _ field4: @autoclosure () -> (StaticString, D),
        _ field5: @autoclosure () -> (StaticString, E),
        _ field6: @autoclosure () -> (StaticString, F),
        _ field7: @autoclosure () -> (StaticString, G),
        fields: @autoclosure () -> Fields? = nil,
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
        text.encoder.appendField(field1())
        text.encoder.appendField(field2())
        text.encoder.appendField(field3())
        text.encoder.appendField(field4())
        text.encoder.appendField(field5())
        text.encoder.appendField(field6())
        text.encoder.appendField(field7())
        text.encoder.appendFields(fields())
        statement.close(&text)
    }

    /// Logs a message with eight fields.
    @export(implementation)
    @inline(always)
    public func callAsFunction<A, B, C, D, E, F, G, H>(
        _ message: @autoclosure () -> LogMessage,
        error: @autoclosure () -> (any Error)? = nil,
        errno: @autoclosure () -> Int32? = nil,
        messageID: @autoclosure () -> MessageID? = nil,
        _ field1: @autoclosure () -> (StaticString, A),
        _ field2: @autoclosure () -> (StaticString, B),
        _ field3: @autoclosure () -> (StaticString, C),
        _ field4: @autoclosure () -> (StaticString, D),
        _ field5: @autoclosure () -> (StaticString, E),
        _ field6: @autoclosure () -> (StaticString, F),
        _ field7: @autoclosure () -> (StaticString, G),
        _ field8: @autoclosure () -> (StaticString, H),
        fields: @autoclosure () -> Fields? = nil,
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
        text.encoder.appendField(field1())
        text.encoder.appendField(field2())
        text.encoder.appendField(field3())
        text.encoder.appendField(field4())
        text.encoder.appendField(field5())
        text.encoder.appendField(field6())
        text.encoder.appendField(field7())
        text.encoder.appendField(field8())
        text.encoder.appendFields(fields())
        statement.close(&text)
    }
}
