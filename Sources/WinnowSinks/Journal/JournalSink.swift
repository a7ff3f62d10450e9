// SPDX-License-Identifier: Apache-2.0

public import WinnowCore
internal import WinnowFormatters

/// Sends records to journald, in its native protocol and without libsystemd.
///
/// Each record is one entry, with the fields `MESSAGE`, `PRIORITY`, `SYSLOG_IDENTIFIER`,
/// `SYSLOG_FACILITY`, `TID`, `CODE_FILE`, `CODE_LINE`, `CODE_FUNC`, `CODE_MODULE`, `CATEGORY`,
/// `WINNOW_SEQUENCE` and `WINNOW_TIMESTAMP`, the microseconds since 1970 of the event, because
/// journald's own time is that of the receipt. The category and the place in the source are omitted
/// if they are empty.
///
/// The record's fields follow, with legal names: `request.id` becomes `REQUEST_ID`. A field cannot
/// replace another one, or one of those above: it gets a number, `PRIORITY_2`. Fields beyond the first
/// 1 000 are combined in `WINNOW_MORE_FIELDS`.
///
/// The sink connects with the first record, and again within the same write if journald was
/// restarted. While there is no journald, each write throws ``SinkError/Code/unavailable``, and the
/// socket is tried no more often than every 100 ms; ``reopen()`` tries at once. An entry larger than
/// 256 KiB, or than the socket accepts, is handed over as a sealed memory file.
///
/// Source: systemd, Native Journal Protocol.
public final class JournalSink: Sink {
    private struct State: ~Copyable {
        var encoder: JournalEncoder
        var socket: JournalSocket
        var buffer = ByteBuffer(capacity: 2_048)
    }

    /// The bytes of an entry that journald stores whatever its configuration.
    ///
    /// Of its smallest file, 512 KiB, an entry may fill 471 KiB: see the article on faults. Of one that it does
    /// not store, journald says nothing.
    package static let storedByteCount = 384 << 10

    private let byteCount: Int?
    private let state: SinkState<State>

    /// Creates a sink that connects with the first record.
    ///
    /// Any thread may call it, but not a signal handler.
    ///
    /// - Parameters:
    ///   - path: The socket of journald, or of one of its namespaces.
    ///   - identifier: The name of the program, which `journalctl -t` looks for.
    ///   - facility: The part of the system that the program belongs to.
    ///   - byteCount: The most bytes of an entry, from 1 024; longer texts are cut, as by
    ///     ``BoundedFormatter``. Nil is no bound.
    public init(
        path: String = "/run/systemd/journal/socket",
        identifier: String,
        facility: Facility,
        byteCount: Int? = nil
    ) {
        self.byteCount = byteCount.map { max($0, BoundedFormatter.leastByteCount) }
        let encoder = JournalEncoder(identifier: identifier, facility: facility)
        state = SinkState(State(encoder: encoder, socket: JournalSocket(path: path)))
    }

    /// Sends one record.
    ///
    /// Any thread may call it, one call at a time on one sink; not a signal handler.
    ///
    /// - Throws: ``SinkError/Code/busy`` when journald takes nothing within some 20 ms;
    ///   ``SinkError/Code/unavailable`` when there is none; ``SinkError/Code/failed`` when a large
    ///   entry finds no descriptor or no memory left; ``SinkError/Code/rejected`` for an entry above
    ///   768 MiB, which journald would drop in silence.
    public func write(_ record: borrowing Record) throws(SinkError) {
        try state.update { state throws(SinkError) in
            state.buffer.prepare()
            state.encoder.encode(record, atMost: byteCount, into: &state.buffer)
            try state.socket.send(state.buffer)
        }
    }

    /// Ends the connection; the next record makes a new one.
    ///
    /// It throws nothing. Any thread may call it, one call at a time on one sink; not a signal handler.
    public func reopen() throws(SinkError) {
        state.update { $0.socket.disconnect() }
    }
}

extension JournalSink: BuiltInSink {
    package var isNumbered: Bool { true }

    package func close() {
        state.update { $0.socket.disconnect() }
    }
}
