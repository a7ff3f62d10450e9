// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization
import Winnow

/// Sends each record as one datagram to an agent that listens at a path.
///
/// `write` delivers the record or throws, and the code of the error says what becomes of the record:
/// it waits and is tried again, or is lost and counted. Winnow calls one method at a time, so a sink
/// needs no lock for that; this one has a `Mutex` because its state changes and Swift wants to be sure.
final class AgentSink: Sink {
    private let path: String
    private let formatter = LineFormatter()
    /// The socket, -1 while there is none.
    private let socket = Mutex<Int32>(-1)

    init(path: String) {
        self.path = path
    }

    deinit {
        _ = socket.withLock { close($0) }
    }

    func write(_ record: borrowing Record) throws(SinkError) {
        var buffer = ByteBuffer()
        formatter.format(record, into: &buffer)
        let error = socket.withLock { socket in
            if socket < 0 { socket = UnixSocket.connect(to: path) }
            guard socket >= 0 else { return errno }
            let error = buffer.withBytes { UnixSocket.send($0, to: socket) }
            // The agent may be another one by the next record.
            if error == ECONNREFUSED || error == ENOTCONN || error == EPIPE {
                close(socket)
                socket = -1
            }
            return error
        }
        if error != 0 { throw SinkError(Self.code(of: error), systemError: error) }
    }

    /// Connects anew: Winnow calls it where `Winnow.reopen()` is called.
    func reopen() throws(SinkError) {
        let error = socket.withLock { socket in
            close(socket)
            socket = UnixSocket.connect(to: path)
            return socket < 0 ? errno : 0
        }
        if error != 0 { throw SinkError(Self.code(of: error), systemError: error) }
    }

    private static func code(of error: Int32) -> SinkError.Code {
        switch error {
        // The agent reads slowly: Winnow tries again in a moment.
        case EAGAIN, ENOBUFS: .busy
        // The agent is away: Winnow tries again until it is back.
        case ENOENT, ECONNREFUSED, ENOTCONN, EPIPE: .unavailable
        // The record is too large: it is lost, and counted.
        case EMSGSIZE: .rejected
        default: .failed
        }
    }
}
