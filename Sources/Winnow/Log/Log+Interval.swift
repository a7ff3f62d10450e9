// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import Synchronization
public import WinnowCore
internal import WinnowPipeline

/// Intervals: a record where an operation begins, and one with its duration where it ends.
extension Log {
    /// Runs the operation between two records, which the field `interval` pairs.
    ///
    /// ```swift
    /// let model = try log.interval("load") { try Model(path) }
    /// // load: begin interval=1
    /// // load: end after 12.25 ms interval=1 duration_ms=12.25
    /// ```
    /// Where the operation throws, the second record says so with `error:`. The time is that of the
    /// monotonic clock. Below the floor, or where the filter holds the level back, only the
    /// operation is left. MT-Safe, AS-Unsafe.
    ///
    /// - Parameters:
    ///   - name: What the records begin with; evaluated at most once.
    ///   - level: The level of both records.
    ///   - file: The place of the call; do not pass it, as with the others.
    ///   - function: As above.
    ///   - line: As above.
    ///   - column: As above.
    ///   - operation: What is measured.
    /// - Returns: What the operation returns.
    /// - Throws: What the operation throws.
    @inlinable
    @inline(always)
    public func interval<Result, Failure: Error>(
        _ name: @autoclosure () -> LogMessage,
        level: Level = .info,
        file: StaticString = #fileID,
        function: StaticString = #function,
        line: UInt32 = #line,
        column: UInt32 = #column,
        operation: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard Level.isKept(level.literal), admitsInterval(level, file, line, column) else {
            return try operation()
        }
        let interval = beginInterval(name, level, file, function, line)
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
    @inlinable
    @inline(always)
    public func interval<Result, Failure: Error>(
        _ name: @autoclosure () -> LogMessage,
        level: Level = .info,
        file: StaticString = #fileID,
        function: StaticString = #function,
        line: UInt32 = #line,
        column: UInt32 = #column,
        isolation: isolated (any Actor)? = #isolation,
        operation: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        guard Level.isKept(level.literal), admitsInterval(level, file, line, column) else {
            return try await operation()
        }
        let interval = beginInterval(name, level, file, function, line)
        do throws(Failure) {
            let result = try await operation()
            interval.end(error: nil)
            return result
        } catch {
            interval.end(error: error)
            throw error
        }
    }

    /// The same without a category.
    @inlinable
    @inline(always)
    public static func interval<Result, Failure: Error>(
        _ name: @autoclosure () -> LogMessage,
        level: Level = .info,
        file: StaticString = #fileID,
        function: StaticString = #function,
        line: UInt32 = #line,
        column: UInt32 = #column,
        operation: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unnamed.interval(
            name(),
            level: level,
            file: file,
            function: function,
            line: line,
            column: column,
            operation: operation
        )
    }

    /// The same for an asynchronous operation, without a category.
    @inlinable
    @inline(always)
    public static func interval<Result, Failure: Error>(
        _ name: @autoclosure () -> LogMessage,
        level: Level = .info,
        file: StaticString = #fileID,
        function: StaticString = #function,
        line: UInt32 = #line,
        column: UInt32 = #column,
        isolation: isolated (any Actor)? = #isolation,
        operation: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        try await unnamed.interval(
            name(),
            level: level,
            file: file,
            function: function,
            line: line,
            column: column,
            isolation: isolation,
            operation: operation
        )
    }

    @inlinable
    @inline(always)
    func admitsInterval(
        _ level: Level,
        _ file: StaticString,
        _ line: UInt32,
        _ column: UInt32
    ) -> Bool {
        isEnabled(level) && (limit == 0 || admitsByLimit(level, file, line, column))
    }

    @inlinable
    @inline(__always)
    func admitsByLimit(
        _ level: Level,
        _ file: StaticString,
        _ line: UInt32,
        _ column: UInt32
    ) -> Bool {
        let place = StatementPlace(line: line, column: column, level: level.literal)
        return Gate.admits(self, EncodedLiteral(file), place)
    }

    @inlinable
    @inline(always)
    func beginInterval(
        _ name: () -> LogMessage,
        _ level: Level,
        _ file: StaticString,
        _ function: StaticString,
        _ line: UInt32
    ) -> Interval {
        let statement = LogStatement(log: self, level: level.literal)
        statement.noteBegin(file, line)
        let name = name()
        statement.noteEnd()
        return Interval(self, level, name, file, function, line)
    }
}

/// An operation that is being measured.
@usableFromInline
struct Interval {
    private static let count = Atomic<UInt64>(0)

    private let log: Log
    private let level: Level
    private let name: LogMessage
    private let file: StaticString
    private let function: StaticString
    private let line: UInt32
    private let number: UInt64
    private var start: UInt64 = 0

    /// Logs the beginning.
    @usableFromInline
    init(
        _ log: Log,
        _ level: Level,
        _ name: LogMessage,
        _ file: StaticString,
        _ function: StaticString,
        _ line: UInt32
    ) {
        self.log = log.limited(to: 0)
        self.level = level
        self.name = name
        self.file = file
        self.function = function
        self.line = line
        number = Self.count.add(1, ordering: .relaxed).newValue
        write("\(name): begin", [], error: nil)
        // Behind the record, whose cost is not the operation's.
        start = cwinnow_clock_monotonic()
    }

    /// Logs the end, with the duration.
    @usableFromInline
    func end(error: (any Error)?) {
        let milliseconds = Double(cwinnow_clock_monotonic() - start) / 1_000_000
        let rounded = (milliseconds * 1_000).rounded() / 1_000
        write(
            "\(name): \(error == nil ? "end" : "failed") after \(rounded) ms",
            [Field("duration_ms", .double(rounded))],
            error: error
        )
    }

    /// Logs a record of the interval, which the floor of the client's module has let through.
    private func write(_ message: LogMessage, _ fields: [Field], error: (any Error)?) {
        let statement = LogStatement(log: log, level: level.literal)
        guard let call = statement.open(file, function, line, 0) else { return }
        var text = message
        statement.adopt(&text, for: call)
        text.encoder.append(error: error, errno: nil, messageID: nil)
        text.encoder.appendFields([Field("interval", .unsigned(number))] + fields)
        statement.close(&text)
    }
}
