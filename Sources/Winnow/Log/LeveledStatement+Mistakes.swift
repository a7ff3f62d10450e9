// SPDX-License-Identifier: Apache-2.0

public import WinnowCore

/// What is natural to write and is no statement, for the compiler to answer with what to write instead.
///
/// The compiler looks at these forms only where no other fits.
extension LeveledStatement {
    /// More pairs than there are forms for.
    @available(
        *,
        unavailable,
        message: "write up to eight pairs, and more as fields: [\"name\": value]"
    )
    public func callAsFunction<A, B, C, D, E, F, G, H, I, each More>(
        _ level: Level,
        _ message: LogMessage,
        error: (any Error)? = nil,
        errno: Int32? = nil,
        messageID: MessageID? = nil,
        _ field1: (StaticString, A),
        _ field2: (StaticString, B),
        _ field3: (StaticString, C),
        _ field4: (StaticString, D),
        _ field5: (StaticString, E),
        _ field6: (StaticString, F),
        _ field7: (StaticString, G),
        _ field8: (StaticString, H),
        _ field9: (StaticString, I),
        _ more: repeat (StaticString, each More),
        fields: Fields? = nil
    ) {}

    /// Pairs before fields that are no literal.
    @available(*, unavailable, message: "behind pairs, write fields: Fields(…)")
    @_disfavoredOverload
    public func callAsFunction<each Value, Other>(
        _ level: Level,
        _ message: LogMessage,
        error: (any Error)? = nil,
        errno: Int32? = nil,
        messageID: MessageID? = nil,
        _ field: repeat (StaticString, each Value),
        fields: Other
    ) {}

    /// A name that is known only at run time.
    @available(
        *,
        unavailable,
        message: "the name in a pair is a literal; write fields: [name: value]"
    )
    @_disfavoredOverload
    public func callAsFunction<each Name: StringProtocol, each Value>(
        _ level: Level,
        _ message: LogMessage,
        error: (any Error)? = nil,
        errno: Int32? = nil,
        messageID: MessageID? = nil,
        _ field: repeat (each Name, each Value)
    ) {}

    /// Values without names.
    @available(
        *,
        unavailable,
        message: "a field is a pair, (\"name\", value); or write \\(value) in the message"
    )
    @_disfavoredOverload
    public func callAsFunction<each Value>(
        _ level: Level,
        _ message: LogMessage,
        error: (any Error)? = nil,
        errno: Int32? = nil,
        messageID: MessageID? = nil,
        _ value: repeat each Value
    ) {}

    /// A dictionary without a label.
    @available(*, unavailable, message: "write fields: before a dictionary")
    public func callAsFunction(_ level: Level, _ message: LogMessage, _ fields: Fields) {}

    /// An error without a label.
    @available(*, unavailable, message: "write error: before an error")
    public func callAsFunction(_ level: Level, _ message: LogMessage, _ error: any Error) {}

    /// What swift-log calls fields.
    @available(
        *,
        unavailable,
        message: "write fields: in place of metadata:, or pairs: (\"name\", value)"
    )
    public func callAsFunction(
        _ level: Level,
        _ message: LogMessage,
        metadata: [String: FieldValue]?
    ) {}

    /// The same with a variable.
    @available(
        *,
        unavailable,
        message: "write fields: in place of metadata:, or pairs: (\"name\", value)"
    )
    @_disfavoredOverload
    public func callAsFunction<Metadata>(
        _ level: Level,
        _ message: LogMessage,
        metadata: Metadata
    ) {}

    /// A closure that makes the message.
    @available(
        *,
        unavailable,
        message: "write the message in parentheses: it is evaluated only if it is logged"
    )
    public func callAsFunction<Message>(_ level: Level, _ message: () -> Message) {}

    /// A closure behind the message.
    @available(
        *,
        unavailable,
        message: "a statement takes no closure; log.interval(\"…\") { … } times one"
    )
    public func callAsFunction<Result>(
        _ level: Level,
        _ message: LogMessage,
        _ operation: () throws -> Result
    ) {}
}
