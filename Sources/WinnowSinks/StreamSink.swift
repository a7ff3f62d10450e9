// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
public import WinnowCore

/// Writes records to stderr, or to any descriptor that is open: a pipe, socket, terminal or file.
///
/// It uses a descriptor of its own, created with the sink. The program may close descriptor 2 or
/// redirect it with dup2(2), as a redirect of `print` does: records still go where they went. The
/// descriptor is not inherited by programs that are executed.
///
/// No write waits without bound, and the flags of the program's descriptor stay as they are, because
/// other processes may share them. Pipes and terminals are reopened as non-blocking. Each call on a
/// socket asks it not to wait, and so does each call on a pipe of another user, which cannot be
/// reopened. If the kernel is older than Linux 6.5, or a terminal belongs to another user, records are
/// written in pieces that a descriptor ready for writing takes at once.
///
/// One record is one write(2). If the destination took only a part, the record counts as delivered;
/// the sink keeps the rest, of one record at most, and writes it before anything else. The child of a
/// fork(2) forgets such a rest, because the parent writes it.
///
/// A pipe or socket that nobody reads is ``SinkError/Code/unavailable``; no SIGPIPE reaches the
/// program. On a pipe, this costs nothing on Linux 6.18 and later. On older kernels, it costs two
/// system calls, which block the signal with the thread's mask.
public final class StreamSink: Sink {
    private let formatter: LineFormatter
    private let state: SinkState<State>

    /// Creates a sink on a copy of the descriptor, which stays the caller's.
    ///
    /// If it cannot be copied, because it is not open, each write throws
    /// ``SinkError/Code/unavailable``: what is opened under its number later is no log.
    ///
    /// Any thread may call it, but not a signal handler.
    ///
    /// - Parameters:
    ///   - descriptor: Where to write: 2 for stderr.
    ///   - formatter: Makes the bytes of a record, its end of line included.
    public init(descriptor: Int32, formatter: any Formatter) {
        self.formatter = LineFormatter(formatter)
        state = SinkState(State(stream: OutputStream(copying: descriptor)))
    }

    /// Writes one record.
    ///
    /// Any thread may call it, one call at a time on one sink; not a signal handler.
    ///
    /// - Throws: ``SinkError/Code/busy`` when the destination takes nothing within some 20 ms;
    ///   ``SinkError/Code/unavailable`` when nobody reads it; ``SinkError/Code/rejected`` when it is
    ///   too long for a datagram socket; ``SinkError/Code/failed`` for a full disk or an I/O error.
    public func write(_ record: borrowing Record) throws(SinkError) {
        if let error = take(record, at: 0) { throw error }
    }

    /// Writes the line that the body makes of a record; returns false, and has done nothing, where
    /// it makes none.
    @inline(__always)
    private func write(
        at now: UInt64,
        _ state: inout State,
        _ header: () -> RecordHeader,
        _ format: (inout ByteBuffer) -> Bool
    ) throws(SinkError) -> Bool {
        state.stream.follow(at: now)
        if state.hasRest { try Self.finish(&state) }
        state.buffer.prepare()
        guard format(&state.buffer) else { return false }
        let bytes = unsafe state.buffer.unsafeBytes.assumingMemoryBound(to: UInt8.self)
        let result = unsafe state.stream.write(bytes)
        state.written = bytes.count
        if result != bytes.count { try Self.settle(&state, after: result, of: header()) }
        return true
    }

    @inline(never)
    private static func finish(_ state: inout State) throws(SinkError) {
        try state.finish()
    }

    @inline(never)
    private static func settle(
        _ state: inout State,
        after result: Int,
        of header: RecordHeader
    ) throws(SinkError) {
        state.header = header
        try state.settle(after: result)
    }

    /// Writes what is left of the last record.
    ///
    /// Any thread may call it, one call at a time on one sink; not a signal handler.
    ///
    /// - Throws: As ``write(_:)``.
    public func flush() throws(SinkError) {
        try state.update { state throws(SinkError) in try state.finish() }
    }
}

extension StreamSink: DirectSink {
    @inline(never)  // The protocol's function jumps here; no C function is inlined into that one.
    package func take(_ record: borrowing Record, at now: UInt64) -> SinkError? {
        do throws(SinkError) {
            _ = try unsafe write(at: now, &state.place.pointee, { record.header }) {
                formatter.format(record, into: &$0)
                return true
            }
        } catch {
            return error
        }
        return nil
    }

    @inline(never)  // As above.
    package func take(encoded record: EncodedRecord, at now: UInt64) -> DirectResult {
        do throws(SinkError) {
            return try unsafe write(at: now, &state.place.pointee, { unsafe record.header.pointee })
            {
                unsafe formatter.format(record, into: &$0)
            } ? .delivered : .undecided
        } catch {
            return .failed(error)
        }
    }
}

extension StreamSink: OwingSink {
    package func takeOwed() -> [RecordHeader] {
        state.update { $0.takeOwed() }.map { [$0] } ?? []
    }
}

extension StreamSink {
    /// The destination, and the record that it may have taken a part of.
    private struct State: ~Copyable {
        var stream: OutputStream
        var buffer = ByteBuffer(capacity: 1_024)
        /// The bytes of the buffer that are written.
        var written = 0
        /// The header of the last record of which a part was not written at once.
        var header: RecordHeader?
        /// The process that wrote them.
        var process: Int32 = 0

        init(stream: consuming OutputStream) {
            self.stream = stream
        }

        /// Whether some of the last record is to be written yet.
        var hasRest: Bool { written < buffer.count }

        /// Goes on with the record in the buffer, of which a first write has returned the result.
        mutating func settle(after result: Int) throws(SinkError) {
            written = 0
            process = cwinnow_process_id()
            do throws(SinkError) {
                try push(after: result)
            } catch {
                guard written == 0 || error.code == .unavailable else { return }
                // Nothing was taken, or what was taken went down with the reader.
                forget()
                throw error
            }
        }

        mutating func finish() throws(SinkError) {
            guard hasRest else { return }
            guard process == cwinnow_process_id() else {
                forget()
                return
            }
            do throws(SinkError) {
                try push()
            } catch {
                if error.code == .unavailable { forget() }
                throw error
            }
        }

        mutating func takeOwed() -> RecordHeader? {
            guard hasRest, process == cwinnow_process_id(), let owed = header.take() else {
                return nil
            }
            forget()
            // What comes later begins a line of its own.
            buffer.append(UInt8(ascii: "\n"))
            return owed
        }

        private mutating func forget() {
            buffer.prepare()
            written = 0
        }

        private mutating func push(after first: Int? = nil) throws(SinkError) {
            var wait = BoundedWait()
            var known = first
            while hasRest {
                let rest = unsafe UnsafeBufferPointer(
                    rebasing: buffer.unsafeBytes.assumingMemoryBound(to: UInt8.self)[written...]
                )
                let result = unsafe known ?? stream.write(rest)
                known = nil
                if result > 0 {
                    written += result
                    continue
                }
                let error = result == 0 ? EAGAIN : Int32(-result)
                if error == EAGAIN, wait.untilWritable(stream.descriptor) { continue }
                throw stream.failure(error)
            }
        }
    }
}
