// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
public import WinnowCore

/// Appends records to a file.
///
/// One record is one write(2) with O_APPEND, so that several processes, and both sides of a
/// fork(2), may share the file of a local file system and no line is torn.
///
/// The file is opened so that a planted name cannot misdirect the log: symbolic links, FIFOs,
/// devices, directories and files with a second name are refused. Its folder must exist.
///
/// **A disk that is full in the middle of a record.** A short write is completed. If that fails,
/// what was written of the record is taken back, provided that it is still the end of the file; if
/// others have appended since, it stays, and the next record begins on a line of its own. Either
/// way the record counts as not delivered, and the file holds no line of two records. The file
/// system has no call that looks and cuts in one: what another process appends between the two, on
/// a disk that is full, is cut as well.
///
/// **A file that was moved or deleted**, by logrotate's `create` for one, is noticed within 100 ms
/// of the next record, and the path opened anew; where logrotate truncates (`copytruncate`), O_APPEND
/// makes the next record the first. A path that is merely gone is made again only when it was
/// missing twice, so that logrotate can make the file with its own mode and owner. Until then
/// records go to the file that was moved. Where the path cannot be opened, the sink stays with the
/// file it has.
///
/// A file that has reached RLIMIT_FSIZE gives ``SinkError/Code/failed`` and no SIGXFSZ; a limit that
/// is set while the program runs is noticed within 100 ms, and by ``reopen()``.
///
/// Source: specs study, section 7.3; write(2), open(2), logrotate(8).
public final class FileSink: Sink {
    private struct State: ~Copyable {
        var file: LogFile
        var buffer = ByteBuffer(capacity: 1_024)
    }

    private let formatter: any Formatter
    private let state: SinkState<State>

    /// Opens the file, and makes it where it is missing.
    ///
    /// Any thread may call it, but not a signal handler.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - mode: The permissions of a file that is made, less those in umask(2).
    ///   - formatter: Makes the bytes of a record, its end of line included.
    /// - Throws: ``SinkError`` with the errno value of open(2); EINVAL for what is no regular file,
    ///   EMLINK for a file with a second name.
    public init(path: String, mode: UInt32 = 0o640, formatter: any Formatter) throws(SinkError) {
        self.formatter = formatter
        state = SinkState(State(file: try LogFile(path: path, mode: mode)))
    }

    /// Appends one record.
    ///
    /// Any thread may call it, one call at a time on one sink; not a signal handler.
    ///
    /// - Throws: ``SinkError/Code/failed`` with ENOSPC, EDQUOT, EFBIG or EIO, among others;
    ///   ``SinkError/Code/unavailable`` when the file is lost and its path cannot be opened.
    public func write(_ record: borrowing Record) throws(SinkError) {
        try state.update { state throws(SinkError) in
            try state.file.follow()
            state.buffer.prepare()
            if state.file.endsInTornRecord { state.buffer.append(UInt8(ascii: "\n")) }
            formatter.format(record, into: &state.buffer)
            try state.file.append(state.buffer)
        }
    }

    /// Opens the path anew.
    ///
    /// Any thread may call it, one call at a time on one sink; not a signal handler.
    ///
    /// - Throws: As the initialiser; the sink then stays with the file it has.
    public func reopen() throws(SinkError) {
        try state.update { state throws(SinkError) in try state.file.reopen() }
    }
}
