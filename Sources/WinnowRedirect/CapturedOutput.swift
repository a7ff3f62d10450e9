// SPDX-License-Identifier: Apache-2.0

extension CapturedScope {
    /// Runs the body in a scope of its own.
    static func run<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async throws -> (lines: [CapturedLine], result: Result) {
        try RedirectEngine.openScope()
        defer { RedirectEngine.closeScope() }
        let scope = CapturedScope()
        // What tasks that live longer print later is the outer scope's, or nobody's.
        defer { _ = scope.close() }
        let result = try await $current.withValue(scope) { try await body() }
        return (scope.close(), result)
    }

    /// Runs the body in a scope of its own.
    static func run<Result>(
        _ body: () throws -> Result
    ) throws -> (lines: [CapturedLine], result: Result) {
        try RedirectEngine.openScope()
        defer { RedirectEngine.closeScope() }
        let scope = CapturedScope()
        defer { _ = scope.close() }
        let result = try $current.withValue(scope) { try body() }
        return (scope.close(), result)
    }
}

/// Returns what the body prints, and what the tasks print that it spawns: from hooks, without
/// descriptors, so that any number of tasks may do so at once, and within each other.
///
/// ```swift
/// let lines = try await withCapturedOutput { noisy() }
/// #expect(lines.map(\.text) == ["starting", "done"])
/// ```
/// What is captured is not printed and comes to no rule of ``Redirect``. A line that the body has not
/// ended is the last. Not captured are what detached tasks, threads and queues of the body's own and
/// children print, and what no hook sees.
///
/// MT-Safe, AS-Unsafe heap.
///
/// - Throws: What the body throws; ``RedirectError/hooksUnavailable`` in a program that is linked
///   statically.
/// - Returns: The lines in the order in which they ended.
public func withCapturedOutput(
    isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Void
) async throws -> [CapturedLine] {
    try await CapturedScope.run(body).lines
}

/// Returns what the body prints, and what it returns; see
/// ``withCapturedOutput(isolation:_:)->[CapturedLine]``.
///
/// It throws as that does. MT-Safe, AS-Unsafe heap.
@_disfavoredOverload
public func withCapturedOutput<Result>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Result
) async throws -> (lines: [CapturedLine], result: Result) {
    try await CapturedScope.run(body)
}

/// Returns what the body prints, in code that is not asynchronous.
///
/// In asynchronous code it is not chosen for a body that awaits nothing; see
/// ``withCapturedOutput(isolation:_:)->[CapturedLine]``, which throws the same. MT-Safe, AS-Unsafe
/// heap.
@_disfavoredOverload
public func withCapturedOutput(_ body: () throws -> Void) throws -> [CapturedLine] {
    try CapturedScope.run(body).lines
}
