// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
public import WinnowCore

/// Sends records to the syslog daemon of this machine.
///
/// The socket takes datagrams, one a record, or on some systems a stream of records that NUL ends;
/// the sink finds out which. It connects with the first record, and again within the same write
/// when the daemon was restarted. While nobody listens, each write throws
/// ``SinkError/Code/unavailable``, and the path is tried no more often than every 100 ms;
/// ``reopen()`` tries at once.
///
/// A record that is too long for a datagram is cut, between two characters, to 64 KiB and then to
/// the 8 KiB that daemons take at least, and ends in ` [truncated]`.
///
/// Where a stream took a part of a record, the record counts as delivered: the sink keeps the rest
/// and sends it before anything else, and sends the whole record again if the connection ended.
///
/// The formatter must be one for this socket: the form of RFC 3164 without a host name. What
/// daemons make of RFC 5424 here is wrong. A line break at the end is not sent.
///
/// Source: syslog(3); specs study, sections 4.1 to 4.3.
public final class SyslogSink: Sink, @unchecked Sendable {
    /// The lengths that a record is cut to, one after the other, where a datagram is too long.
    private static let shorterByteCounts = [65_536, 8_192]

    // SAFETY: law 1 of `Sink`, one call at a time, guards all state.
    private let formatter: any Formatter
    private var socket: LocalSocket
    private var buffer = ByteBuffer(capacity: 1_024)
    /// The bytes of the buffer that the stream has taken.
    private var sent = 0
    /// Whether the record in the buffer counts as delivered, and a rest of it is still here.
    private var hasRest = false
    /// The connection that took a part, and the process that sent it.
    private var connectionNumber: UInt64 = 0
    private var process: Int32 = 0
    /// Whether the buffer ends in the NUL that a stream wants.
    private var isTerminated = false

    /// Creates a sink that connects with the first record.
    ///
    /// Any thread may call it, but not a signal handler.
    ///
    /// - Parameters:
    ///   - path: The socket.
    ///   - formatter: Makes the bytes of a record.
    public init(path: String = "/dev/log", formatter: any Formatter) {
        self.formatter = formatter
        socket = LocalSocket(path: path, sendBufferSize: 0, allowsStream: true)
    }

    /// Sends one record.
    ///
    /// Any thread may call it, one call at a time on one sink; not a signal handler.
    ///
    /// - Throws: ``SinkError/Code/busy`` when the daemon takes nothing within some 20 ms;
    ///   ``SinkError/Code/unavailable`` when there is none, or none that we may write to;
    ///   ``SinkError/Code/rejected`` when it takes not even 8 KiB in a datagram.
    public func write(_ record: borrowing Record) throws(SinkError) {
        try flush()
        buffer.prepare()
        formatter.format(record, into: &buffer)
        trimLineBreak()
        sent = 0
        isTerminated = false
        process = cwinnow_process_id()
        do throws(SinkError) {
            try deliver()
        } catch {
            hasRest = sent > 0 && error.code == .busy
            guard !hasRest else { return }
            forget()
            throw error
        }
        forget()
    }

    /// Sends what is left of the last record.
    ///
    /// Any thread may call it, one call at a time on one sink; not a signal handler.
    ///
    /// - Throws: As ``write(_:)``.
    public func flush() throws(SinkError) {
        guard hasRest else { return }
        if process == cwinnow_process_id() { try push() }
        forget()
    }

    /// Ends the connection; the next record makes a new one.
    ///
    /// Any thread may call it, one call at a time on one sink; not a signal handler.
    ///
    /// - Throws: What keeps the rest of the last record from being sent.
    public func reopen() throws(SinkError) {
        defer { socket.disconnect() }
        try flush()
    }

    private func deliver() throws(SinkError) {
        for byteCount in Self.shorterByteCounts {
            do throws(SinkError) {
                return try push()
            } catch {
                guard error.code == .rejected, buffer.count > byteCount else { throw error }
                shorten(to: byteCount)
            }
        }
        try push()
    }

    private func push() throws(SinkError) {
        try socket.transmit { connection in
            connection.isStream ? sendToStream(connection) : sendDatagram(connection.descriptor)
        }
    }

    private func sendDatagram(_ descriptor: Int32) -> Int32 {
        if isTerminated {
            // The daemon was a stream when this record was begun.
            buffer.truncate(to: buffer.count - 1)
            isTerminated = false
        }
        return Int32(-min(DescriptorWrite.toSocket(descriptor, buffer, from: 0), 0))
    }

    private func sendToStream(_ connection: LocalSocket.Connection) -> Int32 {
        if !isTerminated {
            buffer.append(0)
            isTerminated = true
        }
        if connection.number != connectionNumber {
            connectionNumber = connection.number
            sent = 0
        }
        while sent < buffer.count {
            let result = DescriptorWrite.toSocket(connection.descriptor, buffer, from: sent)
            guard result > 0 else { return Int32(-result) }
            sent += result
        }
        return 0
    }

    private func forget() {
        buffer.prepare()
        sent = 0
        hasRest = false
    }

    private func trimLineBreak() {
        let last = buffer.withBytes { $0.isEmpty ? 0 : $0[$0.count - 1] }
        if last == UInt8(ascii: "\n") { buffer.truncate(to: buffer.count - 1) }
    }

    private func shorten(to byteCount: Int) {
        let marker: StaticString = " [truncated]"
        let room = byteCount - marker.utf8CodeUnitCount
        buffer.truncate(to: buffer.withBytes { TextCut.boundary(in: $0, atMost: room) })
        buffer.append(marker)
    }
}
