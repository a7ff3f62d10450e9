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
    func close() -> [CapturedLine] {
        lock.withLock {
            for printer in unsafe order { end(printer, .closed) }
            unsafe isClosed = true
            return unsafe lines
        }
    }
}
