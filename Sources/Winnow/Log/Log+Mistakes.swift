// SPDX-License-Identifier: Apache-2.0

public import WinnowCore

/// What is natural to write for fields of a logger or a task, for the compiler to answer with what to write
/// instead.
extension Log {
    /// A name that is known only at run time.
    @available(
        *,
        unavailable,
        message: "the name in a pair is a literal; write with(fields: [name: value])"
    )
    @_disfavoredOverload
    public func with<each Name: StringProtocol, each Value>(
        _ field: repeat (each Name, each Value)
    ) -> Log { self }

    /// Values without names.
    @available(*, unavailable, message: "a field is a pair; write with((\"name\", value))")
    @_disfavoredOverload
    public func with<each Value>(_ value: repeat each Value) -> Log { self }

    /// A dictionary without a label.
    @available(*, unavailable, renamed: "with(fields:)")
    public func with(_ fields: Fields) -> Log { self }

    /// A name that is known only at run time.
    @available(
        *,
        unavailable,
        message: "the name in a pair is a literal; write withContext(fields: [name: value])"
    )
    @_disfavoredOverload
    public static func withContext<each Name: StringProtocol, each Value, Result>(
        _ field: repeat (each Name, each Value),
        operation: () async throws -> Result
    ) -> Result? { nil }
}
