// SPDX-License-Identifier: Apache-2.0

public import WinnowCore

/// A category, ready to be called with an operation to measure: `log.interval`.
///
/// `Floor` is that of ``LogStatement``.
@frozen
public struct IntervalStatement<Floor>: Sendable {
    @usableFromInline let log: Log

    @export(implementation)
    @inline(always)
    init(log: Log) {
        self.log = log
    }

    @export(implementation)
    @inline(always)
    func isKept(_ level: Level) -> Bool {
        Level.isKept(level.literal, above: Floor.self)
    }

    @export(implementation) var floor: Int32 {
        @inline(always) get { Level.maximum(of: Floor.self) }
    }

    /// Runs the operation between two records, which the field `interval` pairs.
    ///
    /// ```swift
    /// let model = try log.interval("load") { try Model(path) }
    /// // load: begin interval=1
    /// // load: end after 12.25 ms interval=1 duration_ms=12.25
    /// ```
    /// If the operation throws, the second record says so with `error:`. The time is that of the
    /// monotonic clock. Below the floor, or if the filter rejects the level, only the operation
    /// runs. MT-Safe, AS-Unsafe.
    ///
    /// - Parameters:
    ///   - name: The beginning of both records; evaluated at most once.
    ///   - level: The level of both records.
    ///   - file: The place of the call; do not pass it, as with the others.
    ///   - function: As above.
    ///   - line: As above.
    ///   - column: As above.
    ///   - operation: The operation to measure.
    /// - Returns: What the operation returns.
    /// - Throws: What the operation throws.
    @export(implementation)
    @inline(always)
    public func callAsFunction<Result, Failure: Error>(
        _ name: @autoclosure () -> LogMessage,
        level: Level = .info,
        file: StaticString = #fileID,
        function: StaticString = #function,
        line: UInt32 = #line,
        column: UInt32 = #column,
        operation: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard isKept(level), log.admitsInterval(level, file, line, column) else {
            return try operation()
        }
        let name = log.noted(name, level, floor, file, line)
        let place = StatementPlace(line: line, column: column, level: level.literal)
        let interval = Interval(log, name, file, function, place)
        do throws(Failure) {
            let result = try operation()
            interval.end(error: nil)
            return result
        } catch {
            interval.end(error: error)
            throw error
        }
    }

    /// The same for an asynchronous operation, which runs where the caller does.
    ///
    /// MT-Safe, AS-Unsafe.
    @export(implementation)
    @inline(always)
    public func callAsFunction<Result, Failure: Error>(
        _ name: @autoclosure () -> LogMessage,
        level: Level = .info,
        file: StaticString = #fileID,
        function: StaticString = #function,
        line: UInt32 = #line,
        column: UInt32 = #column,
        isolation: isolated (any Actor)? = #isolation,
        operation: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        guard isKept(level), log.admitsInterval(level, file, line, column) else {
            return try await operation()
        }
        let name = log.noted(name, level, floor, file, line)
        let place = StatementPlace(line: line, column: column, level: level.literal)
        let interval = Interval(log, name, file, function, place)
        do throws(Failure) {
            let result = try await operation()
            interval.end(error: nil)
            return result
        } catch {
            interval.end(error: error)
            throw error
        }
    }
}
