// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import CWinnowRedirect
internal import WinnowPipeline

/// What is printed within one `withCapturedOutput`.
final class CapturedScope: @unchecked Sendable {
    /// The innermost scope of the running task, and of what it spawns.
    @TaskLocal static var current: CapturedScope?

    /// Whose lines are put together: those of a task, or of a thread outside tasks.
    private struct Printer: Hashable {
        let key: Int
        let stream: PrintedStream
    }

    /// The beginning of a line.
    private struct Partial {
        var bytes: [UInt8]
        let origin: UInt32
    }

    /// The scope that this one is within, which takes what is printed once this one has ended.
    private let outer = CapturedScope.current
    private let lock = Lock(.leaf)
    // SAFETY: read and written with the lock held.
    private nonisolated(unsafe) var lines: [CapturedLine] = []
    // SAFETY: as above.
    private nonisolated(unsafe) var partials: [Printer: Partial] = [:]
    // SAFETY: as above. In the order in which they began.
    private nonisolated(unsafe) var order: [Printer] = []
    // SAFETY: as above.
    private nonisolated(unsafe) var isClosed = false

    /// Takes what a hook saw; false where no scope is open, which is all that it says without bytes.
    static func take(
        _ stream: Int32,
        _ bytes: UnsafePointer<CChar>?,
        _ count: Int,
        _ origin: UInt32
    ) -> Bool {
        guard let scope = current, let stream = PrintedStream(rawValue: stream) else {
            return false
        }
        return unsafe scope.take(
            UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count),
            of: origin,
            on: stream
        )
    }

    private func take(
        _ bytes: UnsafeRawBufferPointer,
        of origin: UInt32,
        on stream: PrintedStream
    ) -> Bool {
        let printer = Printer(key: Self.printerKey, stream: stream)
        let isTaken = lock.withLock {
            guard unsafe !isClosed else { return false }
            unsafe append(bytes, of: origin, by: printer)
            return true
        }
        guard !isTaken, let outer else { return isTaken }
        return unsafe outer.take(bytes, of: origin, on: stream)
    }

    /// A task is told by its own number, as it may go on on another thread within a line.
    private static var printerKey: Int {
        unsafe withUnsafeCurrentTask { unsafe $0?.hashValue } ?? Int(cwinnow_thread_id())
    }

    private func append(_ bytes: UnsafeRawBufferPointer, of origin: UInt32, by printer: Printer) {
        var rest = unsafe bytes[...]
        if let partial = unsafe partials[printer], partial.origin != origin, unsafe !rest.isEmpty {
            end(printer, .origin)
        }
        while let newline = unsafe rest.firstIndex(of: UInt8(ascii: "\n")) {
            unsafe add(rest[..<newline], of: origin, by: printer)
            end(printer, .newline)
            unsafe rest = rest[(newline + 1)...]
        }
        if unsafe !rest.isEmpty { unsafe add(rest, of: origin, by: printer) }
    }

    private func add(
        _ bytes: Slice<UnsafeRawBufferPointer>,
        of origin: UInt32,
        by printer: Printer
    ) {
        if unsafe partials[printer] == nil {
            unsafe partials[printer] = Partial(bytes: [], origin: origin)
            unsafe order.append(printer)
        }
        unsafe partials[printer]?.bytes.append(contentsOf: bytes)
    }

    private func end(_ printer: Printer, _ ending: CapturedLine.Ending) {
        guard let partial = unsafe partials.removeValue(forKey: printer) else { return }
        unsafe order.removeAll { $0 == printer }
        let line = CapturedLine(
            bytes: partial.bytes,
            origin: LineOrigin(number: partial.origin),
            stream: printer.stream,
            ending: ending
        )
        unsafe lines.append(line)
    }

    /// Takes nothing more; returns the lines in the order in which they ended.
    private func close() -> [CapturedLine] {
        lock.withLock {
            for printer in unsafe order { end(printer, .closed) }
            unsafe isClosed = true
            return unsafe lines
        }
    }
}

// MARK: - Running

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
