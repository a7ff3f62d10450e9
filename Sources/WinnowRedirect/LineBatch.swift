// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import CWinnowRedirect
internal import Synchronization

/// A line in the queue.
@safe
struct QueuedLine {
    let header: cwinnow_line
    // SAFETY: lent for the call that gets the line.
    let text: UnsafeRawBufferPointer

    /// Reads the line that stands at an address.
    init(at address: UnsafeRawPointer) {
        unsafe header = address.load(as: cwinnow_line.self)
        unsafe text = UnsafeRawBufferPointer(
            start: address + MemoryLayout<cwinnow_line>.size,
            count: Int(header.size)
        )
    }

    var stream: PrintedStream { PrintedStream(rawValue: Int32(header.stream)) ?? .stdout }
    var ending: CapturedLine.Ending { CapturedLine.Ending(rawValue: header.end) ?? .newline }

    /// Whether nothing is in the text but blanks and colors.
    var isBlank: Bool {
        unsafe text.withMemoryRebound(to: UInt8.self) { bytes in
            // SAFETY: the span ends with the closure, and the line lives longer.
            PrintedLine.isBlank(unsafe bytes.span)
        }
    }

    /// Prints the line where it would have gone.
    ///
    /// - Returns: Whether it could be written there.
    func printUntaken() -> Bool {
        let way = cwinnow_line_way(rawValue: UInt32(header.way))
        if way == CWINNOW_LINE_WAY_WRITE || stream == .stderr {
            cwinnow_hooks_flush_before(stream.rawValue)
        }
        return unsafe wholeBytes.withUnsafeBufferPointer {
            unsafe cwinnow_hooks_print(Int32(header.stream), $0.baseAddress, $0.count, way)
        }
    }

    /// Prints the line straight to the descriptor, as another thread may hold the stream for ever,
    /// where that is read before the time of the monotonic clock.
    ///
    /// - Returns: Whether it could be written there.
    func printUntaken(until deadline: UInt64) -> Bool {
        unsafe wholeBytes.withUnsafeBufferPointer {
            unsafe cwinnow_hooks_print_until(
                Int32(header.stream),
                $0.baseAddress,
                $0.count,
                deadline
            )
        }
    }

    /// The line and its break: one write, so that no other line comes between.
    private var wholeBytes: [UInt8] {
        var bytes = unsafe Array(text)
        if ending == .newline { bytes.append(UInt8(ascii: "\n")) }
        return bytes
    }
}

/// The lines of a batch that are not worked off yet, as the thread that ends the process finds them
/// where the worker is slow, or stuck in one of them.
///
/// Each line is claimed before it is worked off, so that either thread has it.
final class LineRest: Sendable {
    private let start = Atomic<UInt>(0)
    private let end = Atomic<UInt>(0)
    /// The line that is being worked off; 0 for none.
    private let current = Atomic<UInt>(0)

    /// Calls the body with each line of a batch that no other thread claims; for one thread.
    func forEach(_ batch: cwinnow_lines_batch, _ body: (QueuedLine) -> Void) {
        guard let first = unsafe batch.start else { return }
        // Never a start of one batch and the end of another.
        end.store(0, ordering: .releasing)
        start.store(UInt(bitPattern: first), ordering: .releasing)
        end.store(UInt(bitPattern: first) + UInt(unsafe batch.size), ordering: .releasing)
        while let line = claim(isWorker: true) {
            body(line)
            current.store(0, ordering: .sequentiallyConsistent)
        }
        current.store(0, ordering: .sequentiallyConsistent)
    }

    /// Calls the body with each line that is left; and with the one that is being worked off, where
    /// that is not done in the time.
    func forEachLeft(within nanoseconds: UInt64, _ body: (QueuedLine) -> Void) {
        while let line = claim(isWorker: false) { body(line) }
        // Now the worker gets no other line.
        let stuck = current.load(ordering: .sequentiallyConsistent)
        if stuck != 0, !isDone(with: stuck, within: nanoseconds),
            let pointer = unsafe UnsafeRawPointer(bitPattern: stuck)
        {
            unsafe body(QueuedLine(at: pointer))
        }
    }

    /// Forgets the lines of the parent: in the child of a fork.
    func forget() {
        end.store(0, ordering: .relaxed)
        start.store(0, ordering: .relaxed)
        current.store(0, ordering: .relaxed)
    }

    private func isDone(with line: UInt, within nanoseconds: UInt64) -> Bool {
        let deadline = cwinnow_clock_monotonic() + nanoseconds
        while current.load(ordering: .sequentiallyConsistent) == line {
            guard cwinnow_clock_monotonic() < deadline else { return false }
            cwinnow_thread_pause(1_000_000)
        }
        return true
    }

    /// Takes the next line; the worker says before which it will be.
    private func claim(isWorker: Bool) -> QueuedLine? {
        while true {
            let address = start.load(ordering: .acquiring)
            guard address < end.load(ordering: .acquiring),
                let pointer = unsafe UnsafeRawPointer(bitPattern: address)
            else { return nil }
            let line = unsafe QueuedLine(at: pointer)
            var header = line.header
            let stride = unsafe withUnsafePointer(to: &header) { unsafe cwinnow_line_stride($0) }
            if isWorker { current.store(address, ordering: .sequentiallyConsistent) }
            let claim = start.compareExchange(
                expected: address,
                desired: address &+ UInt(stride),
                ordering: .sequentiallyConsistent
            )
            if claim.exchanged { return line }
        }
    }
}
