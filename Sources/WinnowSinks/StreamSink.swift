// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
public import WinnowCore

/// Writes records to stderr, stdout, or any descriptor that is open: a pipe, socket, terminal or file.
///
/// It uses a descriptor of its own, created with the sink. The program may close its own or
/// redirect it with dup2(2), as a redirect of `print` does: records still go where they went. The
/// descriptor is not inherited by programs that are executed.
///
/// No write waits without bound, and the flags of the program's descriptor stay as they are, because
/// other processes may share them. Pipes and terminals are reopened as non-blocking. Each call on a
/// socket asks it not to wait, and so does each call on a pipe of another user, which cannot be
/// reopened. If the kernel is older than Linux 6.5, or a terminal belongs to another user, records are
/// written in pieces that a descriptor ready for writing takes at once.
///
/// If records wait for a pipe when the process ends, it is made larger, up to 512 KiB: a pager reads them
/// later.
///
/// One record is one write(2). If the destination took only a part, the record counts as delivered.
/// The rest, of one record at most, is kept for the destination: whichever sink of the process writes
/// there next, writes the rest first, also where it is another sink than the one that began. After a
/// fork(2), the parent writes the rest. The child forgets it, and begins with a newline.
///
/// A pipe or socket that nobody reads is ``SinkError/Code/unavailable``; no SIGPIPE reaches the
/// program. On a pipe, this costs nothing on Linux 6.18 and later. On older kernels, it costs two
/// system calls, which block the signal with the thread's mask. If the reader goes away in the middle of
/// a record and another one opens the FIFO, it gets a newline, which ends what was left in the pipe, and
/// the whole record.
public final class StreamSink: Sink {
    private let formatter: LineFormatter
    private let state: SinkState<State>

    /// Creates a sink on a copy of the descriptor, which stays the caller's.
    ///
    /// If it cannot be copied, because it is not open, each write throws
    /// ``SinkError/Code/unavailable``: what is opened under its number later is no log. If the process has no
    /// descriptor left for the copy, the sink writes to the caller's, for as long as it leads to the same place,
    /// and copies it as soon as there is one.
    ///
    /// Any thread may call it, but not a signal handler.
    ///
    /// - Parameters:
    ///   - descriptor: Where to write: 2 for stderr, 1 for stdout.
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
        state.buffer.prepare()
        guard format(&state.buffer) else { return false }
        let bytes = unsafe state.buffer.unsafeBytes.assumingMemoryBound(to: UInt8.self)
        guard state.destination.acquire() else {
            throw SinkError(.busy, systemError: EAGAIN)
        }
        let result = unsafe state.destination.isClear ? state.stream.write(bytes) : State.notTried
        if result != bytes.count { return try Self.settle(&state, after: result, of: header()) }
        state.destination.release()
        return true
    }

    @inline(never)
    private static func settle(
        _ state: inout State,
        after result: Int,
        of header: RecordHeader
    ) throws(SinkError) -> Bool {
        try state.settle(after: result, of: header)
        return true
    }

    /// Writes what is left of a record that the destination has taken in part.
    ///
    /// Any thread may call it, one call at a time on one sink; not a signal handler.
    ///
    /// - Throws: As ``write(_:)``.
    public func flush() throws(SinkError) {
        try state.update { state throws(SinkError) in try state.flush() }
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

extension StreamSink {
    /// Initializes the globals that the child of a fork uses with its first sink.
    ///
    /// Swift initializes a global at its first access, and other threads wait meanwhile: if another thread of
    /// the parent was doing that, the child would wait forever.
    package static func prepareForFork() {
        _ = Destination(FileIdentity())
    }
}

extension StreamSink: BuiltInSink {
    package var isNumbered: Bool { formatter.isNumbered }

    package func close() {
        state.update { state in
            state.stream.close()
            state.buffer = ByteBuffer(capacity: 0)
        }
    }

    package var isGone: Bool {
        state.update { $0.stream.isGone }
    }

    package func makeRoom() {
        state.update { $0.stream.makeRoom() }
    }

    package var owesRest: Bool {
        state.update { $0.owesRest }
    }

    package func takeOwed() -> [RecordHeader] {
        state.update { $0.takeOwed() }.map { [$0] } ?? []
    }
}

extension StreamSink {
    /// The way to the destination, and what all its sinks share.
    private struct State: ~Copyable {
        /// In place of the result of a first write that was not made.
        static let notTried = Int.min
        /// How long the end of a configuration waits for another sink that is writing.
        private static let longPatience: UInt64 = 200_000_000

        var stream: OutputStream
        let destination: Destination
        var buffer = ByteBuffer(capacity: 1_024)

        init(stream: consuming OutputStream) {
            destination = Destination(stream.identity)
            self.stream = stream
        }

        /// Goes on with the record in the buffer, of which a first write has returned the result; with
        /// the lock of the destination held, which it gives back.
        mutating func settle(after first: Int, of header: RecordHeader) throws(SinkError) {
            var wait = BoundedWait()
            var isOwed = false
            var result = first
            while true {
                let error = goOn(after: result, of: header, isOwed: &isOwed)
                if error == 0 || isOwed && !destination.owesRest { return destination.release() }
                let failure = stream.failure(error)
                // Nobody has all of the record yet: it is not delivered after all.
                if isOwed, failure.code == .unavailable { isOwed = destination.takeOwed() == nil }
                destination.release()
                result = Self.notTried
                if waits(for: error, &wait) { continue }
                guard isOwed else { throw failure }
                return OwedRest.note()
            }
        }

        /// Writes as much as is taken, with the lock held; returns why that is not all, or 0.
        private mutating func goOn(
            after first: Int,
            of header: RecordHeader,
            isOwed: inout Bool
        ) -> Int32 {
            var result = first
            if result == Self.notTried {
                let error = destination.clear(through: &stream)
                if error != 0 || isOwed { return error }
                result = unsafe buffer.withRest(from: 0) { unsafe stream.write($0) }
            }
            if result == buffer.count { return 0 }
            guard result > 0 else { return result == 0 ? EAGAIN : Int32(-result) }
            destination.owe(&buffer, from: result, of: header)
            isOwed = true
            return destination.clear(through: &stream)
        }

        /// Waits where that may help, without the lock; returns whether it is held again.
        private func waits(for error: Int32, _ wait: inout BoundedWait) -> Bool {
            error == EAGAIN && wait.untilWritable(stream.descriptor) && destination.acquire()
        }

        mutating func flush() throws(SinkError) {
            stream.follow(at: 0)
            guard destination.acquire() else { throw SinkError(.busy, systemError: EAGAIN) }
            var wait = BoundedWait()
            while destination.hasRest {
                let error = destination.clear(through: &stream)
                if error == 0 { break }
                destination.release()
                guard waits(for: error, &wait) else { throw stream.failure(error) }
            }
            destination.release()
        }

        var owesRest: Bool {
            // Who has the lock is writing, and the rest is what is written first.
            guard destination.acquire() else { return true }
            defer { destination.release() }
            return destination.owesRest
        }

        func takeOwed() -> RecordHeader? {
            guard destination.acquire(within: Self.longPatience) else { return nil }
            defer { destination.release() }
            return destination.takeOwed()
        }
    }
}
