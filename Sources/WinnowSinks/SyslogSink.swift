// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
public import WinnowCore

/// Sends records to the syslog daemon of this machine.
///
/// The socket takes datagrams, one per record, or on some systems a stream of records terminated by
/// NUL; the sink finds out which. It connects with the first record, and again within the same write
/// if the daemon was restarted. While nobody listens, each write throws
/// ``SinkError/Code/unavailable``, and the path is tried no more often than every 100 ms;
/// ``reopen()`` tries at once.
///
/// A record that is too long for a datagram is cut, between two characters, to 64 KiB and then to
/// the 8 KiB that daemons take at least, and ends in ` [truncated]`.
///
/// If a stream took a part of a record, the record counts as delivered: the sink keeps the rest and
/// sends it before anything else, and sends the whole record again if the connection ended.
///
/// The formatter must be one for this socket: the form of RFC 3164 without a host name. Daemons
/// misread RFC 5424 here. A line break at the end is not sent.
///
/// Source: syslog(3); specs study, sections 4.1 to 4.3.
public final class SyslogSink: Sink {
    private let formatter: any Formatter
    private let state: SinkState<State>

    /// Creates a sink that connects with the first record.
    ///
    /// Any thread may call it, but not a signal handler.
    ///
    /// - Parameters:
    ///   - path: The socket.
    ///   - formatter: Makes the bytes of a record.
    public init(path: String = "/dev/log", formatter: any Formatter) {
        self.formatter = formatter
        let socket = LocalSocket(path: path, sendBufferSize: 0, allowsStream: true)
        state = SinkState(State(socket: socket))
    }

    /// Sends one record.
    ///
    /// Any thread may call it, one call at a time on one sink; not a signal handler.
    ///
    /// - Throws: ``SinkError/Code/busy`` when the daemon takes nothing within some 20 ms;
    ///   ``SinkError/Code/unavailable`` when there is none, or none that we may write to;
    ///   ``SinkError/Code/rejected`` when it takes not even 8 KiB in a datagram, of this record or of the
    ///   rest of the last one.
    public func write(_ record: borrowing Record) throws(SinkError) {
        try state.update { state throws(SinkError) in
            try state.write(record.header) { formatter.format(record, into: &$0) }
        }
    }

    /// Sends what is left of the last record.
    ///
    /// Any thread may call it, one call at a time on one sink; not a signal handler.
    ///
    /// - Throws: As ``write(_:)``.
    public func flush() throws(SinkError) {
        try state.update { state throws(SinkError) in try state.flush() }
    }

    /// Ends the connection; the next record makes a new one.
    ///
    /// Any thread may call it, one call at a time on one sink; not a signal handler.
    ///
    /// - Throws: What keeps the rest of the last record from being sent.
    public func reopen() throws(SinkError) {
        try state.update { state throws(SinkError) in try state.reopen() }
    }
}

extension SyslogSink: BuiltInSink {
    package func close() {
        state.update { $0.close() }
    }

    package var owesRest: Bool {
        state.update { $0.hasRest && $0.process == cwinnow_process_id() }
    }

    package func takeOwed() -> [RecordHeader] {
        state.update { $0.takeOwed() }.map { [$0] } ?? []
    }
}

extension SyslogSink {
    /// The lengths that a record is cut to, one after the other, where a datagram is too long.
    private static let shorterByteCounts = [65_536, 8_192]

    /// The connection, and the record that a stream may have taken a part of.
    private struct State: ~Copyable {
        var socket: LocalSocket
        var message = SyslogMessage()
        /// Whether the message counts as delivered, and a rest of it is still here.
        var hasRest = false
        /// The header of that message's record.
        var header: RecordHeader?
        /// The process that sent the message.
        var process: Int32 = 0

        init(socket: consuming LocalSocket) {
            self.socket = socket
        }

        /// Sends the bytes that the body appends to an empty buffer.
        mutating func write(
            _ header: RecordHeader,
            _ format: (inout ByteBuffer) -> Void
        ) throws(SinkError) {
            try flush()
            message.begin(format)
            process = cwinnow_process_id()
            do throws(SinkError) {
                try deliver()
            } catch {
                hasRest = message.sent > 0 && error.code == .busy
                guard !hasRest else {
                    self.header = header
                    return OwedRest.note()
                }
                // A stream that has a part would take the next record for its end.
                if message.sent > 0 { socket.disconnect() }
                forget()
                throw error
            }
            forget()
        }

        mutating func flush() throws(SinkError) {
            guard hasRest else { return }
            guard process == cwinnow_process_id() else { return forget() }
            do throws(SinkError) {
                try deliver()
            } catch {
                // A daemon of datagrams has come that will never take it: no later record pays for it.
                if error.code == .rejected { forget() }
                throw error
            }
            forget()
        }

        mutating func takeOwed() -> RecordHeader? {
            guard hasRest, process == cwinnow_process_id() else { return nil }
            forget()
            socket.disconnect()
            return header.take()
        }

        mutating func reopen() throws(SinkError) {
            defer { socket.disconnect() }
            try flush()
        }

        mutating func close() {
            socket.disconnect()
        }

        private mutating func deliver() throws(SinkError) {
            while true {
                do throws(SinkError) {
                    return try push()
                } catch {
                    let shorter = SyslogSink.shorterByteCounts.first { $0 < message.count }
                    guard error.code == .rejected, let shorter else { throw error }
                    message.shorten(to: shorter)
                }
            }
        }

        private mutating func push() throws(SinkError) {
            try socket.transmit { message.send(over: $0) }
        }

        private mutating func forget() {
            message.forget()
            hasRest = false
        }
    }
}
