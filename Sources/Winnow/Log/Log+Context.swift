// SPDX-License-Identifier: Apache-2.0

public import WinnowCore

/// Fields for every record of a logger, or of a task.
///
/// If several fields have the same name, that of the statement wins, then that of the logger, then
/// that of the task; of two on one logger or task, the later one wins.
extension Log {
    /// Returns the same logger with additional fields, which each of its records gets.
    ///
    /// ```swift
    /// let requestLog = log.with(("request_id", id), ("peer", address))
    /// requestLog.notice("accepted")       // accepted request_id=17 peer=192.0.2.1
    /// ```
    /// The values are described now. MT-Safe, AS-Unsafe.
    public func with<each Value>(_ fields: repeat (StaticString, each Value)) -> Log {
        with(fields: Fields(pairs: repeat each fields))
    }

    /// Returns the same logger with fields whose number is known only at run time.
    ///
    /// MT-Safe, AS-Unsafe.
    public func with(fields: Fields) -> Log {
        var log = self
        log.context = LogContext.adding(fields.elements, to: context)
        return log
    }

    /// Returns the same logger with the fields of a dictionary.
    ///
    /// MT-Safe, AS-Unsafe.
    @_disfavoredOverload
    public func with<Value>(fields: [String: Value]) -> Log {
        with(fields: Fields(fields))
    }

    /// Returns the logger without a category, with fields.
    ///
    /// MT-Safe, AS-Unsafe.
    public static func with<each Value>(_ fields: repeat (StaticString, each Value)) -> Log {
        unnamed.with(fields: Fields(pairs: repeat each fields))
    }

    /// Returns the logger without a category, with fields.
    ///
    /// MT-Safe, AS-Unsafe.
    public static func with(fields: Fields) -> Log {
        unnamed.with(fields: fields)
    }

    /// Runs the operation with fields for each record of the task, whatever the logger, and for the
    /// tasks that it starts, except detached ones.
    ///
    /// ```swift
    /// try await Log.withContext(("trace_id", id)) { try await handle(request) }
    /// ```
    /// The values are described now. MT-Safe, AS-Unsafe.
    ///
    /// Source: SE-0311, "Task Local Values".
    public static func withContext<each Value, Result, Failure: Error>(
        _ fields: repeat (StaticString, each Value),
        operation: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withContext(fields: Fields(pairs: repeat each fields), operation: operation)
    }

    /// The same for an asynchronous operation, which runs where the caller does.
    public static func withContext<each Value, Result, Failure: Error>(
        _ fields: repeat (StaticString, each Value),
        isolation: isolated (any Actor)? = #isolation,
        operation: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        try await withContext(
            fields: Fields(pairs: repeat each fields),
            isolation: isolation,
            operation: operation
        )
    }

    /// The same for an asynchronous operation, with fields whose number is known only at run time.
    public static func withContext<Result, Failure: Error>(
        fields: Fields,
        isolation: isolated (any Actor)? = #isolation,
        operation: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        LogContext.noteBinding()
        let context = LogContext.adding(fields.elements, to: LogContext.ofTask)
        var outcome: Swift.Result<Result, Failure>?
        await LogContext.$ofTask.withValue(context) {
            do throws(Failure) {
                outcome = .success(try await operation())
            } catch {
                outcome = .failure(error)
            }
        }
        return try unsafe outcome.unsafelyUnwrapped.get()
    }

    /// The same with fields whose number is known only at run time.
    public static func withContext<Result, Failure: Error>(
        fields: Fields,
        operation: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        LogContext.noteBinding()
        let context = LogContext.adding(fields.elements, to: LogContext.ofTask)
        var outcome: Swift.Result<Result, Failure>?
        LogContext.$ofTask.withValue(context) {
            do throws(Failure) {
                outcome = .success(try operation())
            } catch {
                outcome = .failure(error)
            }
        }
        return try unsafe outcome.unsafelyUnwrapped.get()
    }
}
