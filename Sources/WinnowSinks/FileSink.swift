// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
public import WinnowCore
internal import WinnowFormatters

/// Appends records to a file.
///
/// One record is one write(2) with O_APPEND, so several processes, and both sides of a fork(2), can
/// share a file on a local file system, and no line is torn. In deferred delivery, one write(2) holds
/// some hundred whole records.
///
/// The file is opened so that a planted name cannot misdirect the log: symbolic links, FIFOs, devices,
/// directories and files with a second hard link are refused. Its folder must exist.
///
/// **If the disk fills up in the middle of a record**, a short write is completed. If that fails, the
/// written part of the record is taken back, provided that it is still the end of the file. If others
/// have appended since, the part stays, and the next record begins on a line of its own. Either way,
/// the record counts as not delivered, and no line of the file has two records. The file system has no
/// call that checks and truncates in one step: what another process appends in between, on a full
/// disk, is cut off as well.
///
/// **A process that is killed in the middle of a record** leaves a piece of it. The next process that
/// opens the file, and may read it, ends that line before its first record.
///
/// **A file that was moved or deleted**, for example by logrotate's `create`, is noticed within 100 ms
/// of the next record, and the path is opened again. If logrotate truncates the file (`copytruncate`),
/// O_APPEND makes the next record the first. If the path is merely missing, the file is created again
/// only when it was missing twice, so that logrotate can create it with its own mode and owner. Until
/// then, records go to the moved file; if the file was deleted, they are gone. If the path then cannot
/// be opened, the sink stays with a moved file, and says so there; with a deleted one, ``write(_:)``
/// throws until there is a file.
///
/// A file that has reached RLIMIT_FSIZE gives ``SinkError/Code/failed`` and no SIGXFSZ. A limit that
/// is set while the program runs is noticed within 100 ms, and by ``reopen()``.
///
/// Source: specs study, section 7.3; write(2), open(2), logrotate(8).
public final class FileSink: Sink {
    private struct State: ~Copyable {
        var file: LogFile
        var rotator: FileRotator?
        /// Whether there is a rotation: asking the rotator costs a call.
        let isRotating: Bool
        var buffer = ByteBuffer(capacity: 1_024)
        /// Where the records of the buffer end that are held back.
        var ends = RecordEnds()
        /// The indices of the held records before which a new file begins, by their times.
        var turns: [Int] = []
        /// The process that holds them back: its child must not write them.
        var process: Int32 = 0
        /// What the rotator is made of, once there is a file.
        let rotation: FileRotation?
    }

    private let formatter: LineFormatter
    /// Whether there is a rotation: asking the state would cost each record a look at all of it.
    private let isRotating: Bool
    private let state: SinkState<State>

    /// Opens the file, and creates it if it is missing.
    ///
    /// Any thread may call it, but not a signal handler.
    ///
    /// - Parameters:
    ///   - path: The file; a relative path leads from the working directory as it is now.
    ///   - mode: The permissions of a file that is made, less those in umask(2).
    ///   - formatter: Makes the bytes of a record, its end of line included.
    ///   - rotation: When the file makes way for a new one; nil is never.
    /// - Throws: ``SinkError`` with the errno value of open(2); EINVAL for what is no regular file, and
    ///   for a rotation with a number or a link that has no meaning; EMLINK for a file with a second name.
    public convenience init(
        path: String,
        mode: UInt32 = 0o640,
        formatter: any Formatter,
        rotation: FileRotation? = nil
    ) throws(SinkError) {
        if let rotation {
            do throws(FileRotationProblem) {
                try rotation.check(for: path)
            } catch {
                throw SinkError(systemError: EINVAL)
            }
        }
        self.init(try LogFile(path: path, mode: mode), formatter, rotation)
        state.update { Self.beginRotation(&$0) }
    }

    /// Creates a sink whose file cannot be opened now: each record tries to, and ``write(_:)``
    /// throws as where the file was lost.
    ///
    /// - Parameters:
    ///   - path: The file; a relative path leads from the working directory as it is now.
    ///   - mode: The permissions of a file that is made, less those in umask(2).
    ///   - formatter: Makes the bytes of a record, its end of line included.
    ///   - rotation: When the file makes way for a new one, which ``FileRotation/check(for:)`` has passed.
    package convenience init(
        notYetAt path: String,
        mode: UInt32 = 0o640,
        formatter: any Formatter,
        rotation: FileRotation? = nil
    ) {
        self.init(LogFile(notYetAt: path, mode: mode), formatter, rotation)
    }

    private init(
        _ file: consuming LogFile,
        _ formatter: any Formatter,
        _ rotation: FileRotation?
    ) {
        self.formatter = LineFormatter(formatter)
        isRotating = rotation != nil
        state = SinkState(State(file: file, isRotating: rotation != nil, rotation: rotation))
    }

    /// Makes the rotator, where the file that is open is the first.
    @inline(never)
    private static func beginRotation(_ state: inout State) {
        guard state.rotator == nil, let rotation = state.rotation else { return }
        let path = state.file.path
        state.rotator = FileRotator(path: path, rotation: rotation, file: &state.file)
    }

    /// Appends one record.
    ///
    /// Any thread may call it, one call at a time on one sink; not a signal handler.
    ///
    /// - Throws: ``SinkError/Code/failed`` with ENOSPC, EDQUOT, EFBIG or EIO, among others;
    ///   ``SinkError/Code/unavailable`` when the file is lost and its path cannot be opened.
    public func write(_ record: borrowing Record) throws(SinkError) {
        if let error = take(record, at: 0) { throw error }
    }

    /// Appends the line that the body makes of a record with a time; returns false, and has done
    /// nothing, where it makes none.
    @inline(__always)
    private func append(
        recordOf timestamp: UInt64,
        at now: UInt64,
        _ state: inout State,
        _ format: (inout ByteBuffer) -> Bool
    ) throws(SinkError) -> Bool {
        try state.file.follow(at: now == 0 ? cwinnow_clock_coarse() : now)
        state.buffer.prepare()
        guard format(&state.buffer) else { return false }
        if isRotating { Self.rotate(&state, before: timestamp) }
        if state.file.endsInTornRecord {
            try Self.finish(&state, after: nil)
            return true
        }
        let bytes = unsafe state.buffer.unsafeBytes.assumingMemoryBound(to: UInt8.self)
        let result = unsafe state.file.write(bytes)
        if result != bytes.count { try Self.finish(&state, after: result) }
        return true
    }

    @inline(never)
    private static func finish(_ state: inout State, after first: Int?) throws(SinkError) {
        var result = first
        while true {
            do throws(SinkError) {
                try state.file.finish(state.buffer, after: result)
                state.rotator?.foundSpace()
                return
            } catch {
                guard makeSpace(&state, for: state.buffer.count, after: error) else { throw error }
                result = nil
            }
        }
    }

    /// Gives up old files for so many bytes; returns whether to try again.
    private static func makeSpace(
        _ state: inout State,
        for byteCount: Int,
        after error: SinkError
    ) -> Bool {
        let cancellation = cwinnow_cancellation_put_off()
        defer { cwinnow_cancellation_restore(cancellation) }
        return state.rotator?.makeSpace(for: byteCount, after: error) ?? false
    }

    /// Has the file make way for a new one where it is too old or too large for what is in the buffer.
    @inline(never)
    private static func rotate(_ state: inout State, before timestamp: UInt64) {
        let cancellation = cwinnow_cancellation_put_off()
        defer { cwinnow_cancellation_restore(cancellation) }
        if state.rotator == nil { beginRotation(&state) }
        state.rotator?.turn(&state.file, at: timestamp)
        state.rotator?.makeRoom(for: state.buffer.count, in: &state.file)
    }

    /// Opens the path anew.
    ///
    /// Any thread may call it, one call at a time on one sink; not a signal handler.
    ///
    /// - Throws: As the initializer; the sink then stays with the file it has.
    public func reopen() throws(SinkError) {
        try state.update { state throws(SinkError) in try state.file.reopen() }
    }
}

extension FileSink: DirectSink {
    @inline(never)  // The protocol's function jumps here; no C function is inlined into that one.
    package func take(_ record: borrowing Record, at now: UInt64) -> SinkError? {
        do throws(SinkError) {
            _ = try unsafe append(recordOf: record.timestamp, at: now, &state.place.pointee) {
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
            let timestamp = unsafe record.header.pointee.timestamp
            return try unsafe append(recordOf: timestamp, at: now, &state.place.pointee) {
                unsafe formatter.format(record, into: &$0)
            } ? .delivered : .undecided
        } catch {
            return .failed(error)
        }
    }
}

extension FileSink: BatchSink {
    /// The bytes from which on a batch is written.
    private static let batchSize = 256 * 1_024

    /// Makes the line of a record, and holds it back.
    package func hold(_ record: borrowing Record) -> Bool {
        state.update { state in
            let process = cwinnow_process_id()
            if state.ends.isEmpty || state.process != process {
                state.process = process
                state.ends.removeAll()
                state.turns.removeAll(keepingCapacity: true)
                state.buffer.prepare()
            }
            if state.isRotating { Self.turn(&state, at: record.timestamp) }
            formatter.format(record, into: &state.buffer)
            state.ends.append(state.buffer.count)
            return state.buffer.count >= Self.batchSize
        }
    }

    /// Makes the line of a record by its encoding, and holds it back.
    package func hold(encoded record: EncodedRecord) -> Bool? {
        let state = unsafe state.place
        guard unsafe formatter.format(record, into: &state.pointee.buffer) else { return nil }
        if isRotating {
            unsafe Self.turn(&state.pointee, at: record.header.pointee.timestamp)
        }
        let count = unsafe state.pointee.buffer.count
        unsafe state.pointee.ends.append(count)
        return count >= Self.batchSize
    }

    /// Has a new file begin before the record that is held back next, where it is time for one.
    @inline(never)
    private static func turn(_ state: inout State, at timestamp: UInt64) {
        guard state.rotator?.isOver(at: timestamp) == true else { return }
        state.turns.append(state.ends.count)
    }

    /// Appends the lines that are held back, with one write(2) where the file takes it and does not
    /// make way for another.
    package func commit() -> (delivered: Int, error: SinkError?) {
        state.update { state in
            guard !state.ends.isEmpty else { return (0, nil) }
            defer {
                state.ends.removeAll()
                state.turns.removeAll(keepingCapacity: true)
            }
            do throws(SinkError) {
                try state.file.follow(at: cwinnow_clock_coarse())
            } catch {
                return (0, error)
            }
            if state.isRotating, state.rotator == nil { Self.beginRotation(&state) }
            return Self.append(&state)
        }
    }

    /// Appends what is held back, file by file.
    private static func append(_ state: inout State) -> (delivered: Int, error: SinkError?) {
        var turns = state.turns[...]
        var first = 0
        while first < state.ends.count {
            if turns.first == first {
                turns.removeFirst()
                state.rotator?.endPeriod(of: &state.file)
            }
            let start = first == 0 ? 0 : state.ends[first - 1]
            var last = turns.first ?? state.ends.count
            if state.rotator != nil {
                state.rotator?.makeRoom(for: state.ends[first] - start, in: &state.file)
                let room = state.rotator?.room(in: state.file) ?? .max
                let end = room < .max - start ? start + room : .max
                last = unsafe max(first + state.ends[first..<last].upTo(end).count, first + 1)
            }
            let (count, error) = unsafe state.file.append(
                state.buffer,
                from: start,
                ends: state.ends[first..<last]
            )
            guard let error else {
                first = last
                continue
            }
            first += count
            guard makeSpace(&state, for: state.buffer.count - start, after: error) else {
                return (first, error)
            }
        }
        state.rotator?.foundSpace()
        return (first, nil)
    }
}

extension FileSink {
    /// Has the file make way for a new one now, where the sink has a rotation and the file holds
    /// something.
    ///
    /// Law 1 of ``Sink`` holds for it, as for ``write(_:)``: call it where you write to the sink yourself,
    /// as from a sink of your own that hands records on. What is a route, Winnow writes to at any time.
    /// Any thread may call it, one call at a time on one sink; not a signal handler.
    public func rotate() {
        state.update { state in state.rotator?.rotate(&state.file) }
    }
}

extension FileSink: BuiltInSink {
    package func close() {
        state.update { state in
            state.file.close()
            state.buffer = ByteBuffer(capacity: 0)
        }
    }

    package var isNumbered: Bool { formatter.isNumbered }

    /// Whether the sink rotates its file.
    package var mayReport: Bool { isRotating }

    /// Takes what went wrong with the rotation since the last call, or with the path.
    package func takeReport() -> String? {
        state.update { state in state.file.takeReport() ?? state.rotator?.takeReport() }
    }
}
