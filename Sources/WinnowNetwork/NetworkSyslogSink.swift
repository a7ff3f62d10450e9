// SPDX-License-Identifier: Apache-2.0

internal import COpenSSL
internal import CWinnow
public import WinnowCore
internal import WinnowSinks

/// Sends records to a syslog server on the network, in the format of RFC 5424.
///
/// The sink connects when it gets the first record, and again when a connection has ended. It does so
/// on a separate thread that ends with the attempt, so no log call waits for a name server. The
/// addresses of the host, IPv4 and IPv6, are tried in turn, each for five seconds. An attempt begins
/// with the address that took the last connection, or with the one after it if that failed in TLS or
/// ended within a second. Meanwhile, each write throws, and the pipeline keeps the record. After a
/// failure, the next attempt comes after a pause that doubles from 100 ms to 10 s, of which a random
/// half is left out; ``reopen()`` tries at once.
///
/// **TCP.** Each message is preceded by the number of its bytes, or followed by a line feed, as
/// ``SyslogServer/Framing`` says: no text splits one. A message that the stream has taken in part counts
/// as delivered. The rest is sent before anything else; if the connection ends first, the whole message
/// is sent again. Before each write, the sink checks whether the server has closed the connection.
///
/// *Delivered* means that the kernel has the record. In syslog, the server never acknowledges that it
/// has read a record: when the server dies, or the network fails, the contents of both kernels'
/// buffers are lost, and neither side can count them. The server sees a gap in `meta sequenceId` and in
/// Winnow's `level_sequence`. Send records that must not be lost that way through a local rsyslogd,
/// which has RELP.
///
/// **TLS.** As TCP, and the server's certificate is checked: see
/// ``SyslogServer/tls(_:port:framing:authorities:certificate:key:checksCertificate:)``.
/// Messages of up to 16 KiB are encrypted together. They count as delivered when the kernel has taken a
/// part of that, as a message does in TCP; if the connection ends first, all of them are sent again.
///
/// **UDP.** One message is one datagram, and may get lost in transit. After each, the sink asks the kernel
/// whether nobody listens, which it knows at once of this machine: that record and those after it are
/// kept, and retried at the next address. Of another machine the kernel learns it later, and what it was
/// sent until then is lost. While datagrams are sent, the host is looked up again every 30 seconds, and after a
/// longer pause before the next record is sent.
///
/// A child of a fork opens a connection of its own, and numbers its messages from 1.
///
/// Source: RFC 5424, 5425, 5426, 6587.
public final class NetworkSyslogSink: Sink {
    private let formatter: NetworkSyslogFormatter
    /// What tells the messages of a stream apart; nil for datagrams.
    private let framing: SyslogServer.Framing?
    private let state: SinkState<SyslogTransmission>

    /// Creates a sink that connects with the first record.
    ///
    /// Any thread may call it, but not a signal handler.
    ///
    /// - Parameters:
    ///   - server: The server.
    ///   - formatter: Makes the bytes of a record.
    public convenience init(to server: SyslogServer, formatter: NetworkSyslogFormatter) {
        self.init(to: server, formatter: formatter, deliveredCount: 0)
    }

    /// Creates a sink as it is when it has delivered so many messages in this process.
    package init(
        to server: SyslogServer,
        formatter: NetworkSyslogFormatter,
        deliveredCount: UInt64
    ) {
        self.formatter = formatter
        framing = server.transport.isStream ? server.framing : nil
        var server = server
        server.identity = server.identity.absolute
        state = SinkState(SyslogTransmission(to: server, deliveredCount: deliveredCount))
    }

    /// Sends one record.
    ///
    /// Any thread may call it, one call at a time on one sink; not a signal handler.
    ///
    /// - Throws: ``SinkError/Code/busy`` while the sink connects, and when the server takes nothing
    ///   within some 20 ms; ``SinkError/Code/unavailable`` when it cannot be reached;
    ///   ``SinkError/Code/rejected`` for a datagram that the network does not take.
    public func write(_ record: borrowing Record) throws(SinkError) {
        try state.update { state throws(SinkError) in
            state.adopt()
            // A server that is away gets no message made.
            if !state.link.isConnected { _ = try state.link.connect() }
            append(record, to: &state)
            let (delivered, error) = state.deliver()
            if delivered == 0 { throw error ?? SinkError(.failed) }
        }
    }

    /// Sends what is left of the last record.
    ///
    /// Any thread may call it, one call at a time on one sink; not a signal handler.
    ///
    /// - Throws: As ``write(_:)``.
    public func flush() throws(SinkError) {
        try state.update { state throws(SinkError) in
            state.adopt()
            try state.flush()
        }
    }

    /// Ends the connection, and makes a new one with the next record.
    ///
    /// It throws nothing. Any thread may call it, one call at a time on one sink; not a signal handler.
    public func reopen() throws(SinkError) {
        state.update { state in
            state.adopt()
            // What is left is sent to the next connection.
            do throws(SinkError) { try state.flush() } catch {}
            state.link.reopen()
        }
    }

    private func append(_ record: borrowing Record, to state: inout SyslogTransmission) {
        let sequenceID = state.nextSequenceID
        state.frames.append(record.header, framing: framing) { buffer in
            formatter.format(record, sequenceID: sequenceID, into: &buffer)
        }
    }
}

extension NetworkSyslogSink: BuiltInSink {
    package func close() {
        state.update { state in
            state.adopt()
            // With what the server has said unread, the kernel would throw away what it has not sent.
            // What is left is sent to the next connection.
            do throws(SinkError) { try state.flush() } catch {}
            state.link.reopen()
        }
    }

    /// Sends the closing alert of TLS: servers log an error for a connection that ends without it.
    ///
    /// Source: RFC 5425, section 4.4.
    package func part() {
        state.update { $0.part() }
    }

    package var owesRest: Bool {
        state.update { state in
            state.adopt()
            return state.frames.isOwing
        }
    }

    package func takeOwed() -> [RecordHeader] {
        state.update { state in
            state.adopt()
            return state.takeOwed()
        }
    }

    /// Says in words what TLS has refused, which no errno value does.
    package func explain(_ error: SinkError) -> String? {
        switch error.systemError {
        case ELIBACC: "OpenSSL 3 is missing: libssl.so.3 cannot be loaded"
        case EOWNERDEAD: "OpenSSL was at work in the parent when this process was forked"
        case ESHUTDOWN: "OpenSSL has been cleaned up, as at the exit of a program that uses it"
        case EKEYREJECTED: "the certificate of the server is refused"
        case EKEYREVOKED: "the server refuses the certificate of this program, or wants one"
        case ECONNABORTED:
            "the server ended the connection behind the handshake; perhaps it "
                + "refuses the certificate of this program"
        case ENOKEY: "a file of the authorities, the certificate or the key cannot be used"
        default: nil
        }
    }
}

extension NetworkSyslogSink {
    /// Has the body run at exit while OpenSSL is still there: a program that uses it as well may have it
    /// clean up before all that was registered when the log started.
    ///
    /// The body may run several times. Any thread may call it.
    package static func setEnd(_ body: @convention(c) () -> Void) {
        copenssl_set_end(body)
    }
}

extension NetworkSyslogSink: BatchSink {
    /// Makes the message of a record, and holds it back.
    package func hold(_ record: borrowing Record) -> Bool {
        state.update { state in
            state.adopt()
            append(record, to: &state)
            return state.frames.isFull
        }
    }

    /// Sends the messages that are held back, together where they are a stream.
    package func commit() -> (delivered: Int, error: SinkError?) {
        state.update { state in
            state.frames.isEmpty ? (0, nil) : state.deliver()
        }
    }
}
