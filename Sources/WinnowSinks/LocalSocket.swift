// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// A connection to a local socket that is made when it is needed, and made again when it ends.
///
/// A connected socket costs half of what one costs that looks its path up with each datagram. The
/// price is that it does not outlive the receiver: see ``transmit(_:)``.
struct LocalSocket: ~Copyable {
    /// A connection as the caller sees it for the length of one attempt.
    struct Connection {
        var descriptor: Int32
        var isStream: Bool
        /// Counts the connections of this socket: bytes sent on an earlier one are void.
        var number: UInt64
    }

    /// How long a path that nobody listens at is left alone, so that a sink without its receiver
    /// does not cost each record a connect(2).
    private static let pauseNanoseconds: UInt64 = 100_000_000

    private let path: String
    private let sendBufferSize: Int32
    private let allowsStream: Bool
    private var socket = OwnedSocket(-1)
    private var connection = Connection(descriptor: -1, isStream: false, number: 0)
    /// The process that connected: the receiver must not take a child for its parent.
    private var process: Int32 = 0
    private var lastError: Int32 = 0
    private var lastErrorTime: UInt64 = 0

    /// Creates a socket that is not connected yet.
    ///
    /// - Parameters:
    ///   - path: Where the receiver listens.
    ///   - sendBufferSize: The bytes of the send buffer to ask for; 0 leaves it as it is.
    ///   - allowsStream: Whether the receiver may listen with a stream socket.
    init(path: String, sendBufferSize: Int32, allowsStream: Bool) {
        self.path = path
        self.sendBufferSize = sendBufferSize
        self.allowsStream = allowsStream
    }

    /// Lets the attempt send until it returns 0, and throws what keeps it from that.
    ///
    /// When the queue is full it waits for a bounded time. When the connection is at its end it
    /// connects once more. A path that refused is not tried again for 100 ms.
    ///
    /// - Parameter attempt: Sends, and returns 0 or an errno value.
    /// - Throws: ``SinkError`` of the kind that the errno value means.
    mutating func transmit(_ attempt: (Connection) -> Int32) throws(SinkError) {
        var wait = BoundedWait()
        var mayReconnect = true
        while true {
            try connect()
            let error = attempt(connection)
            if error == 0 { return }
            if error == EAGAIN, wait.untilWritable(connection.descriptor) { continue }
            guard SystemError.endsConnection(error) else { throw SinkError(systemError: error) }
            disconnect(after: error)
            guard mayReconnect else { throw SinkError(.unavailable, systemError: error) }
            mayReconnect = false
        }
    }

    /// Ends the connection; the next call connects, however short ago the path refused.
    mutating func disconnect() {
        disconnect(after: 0)
        lastError = 0
    }

    private mutating func disconnect(after error: Int32) {
        var old = OwnedSocket(-1)
        swap(&old, &socket)
        connection.descriptor = -1
        // The program has closed our descriptor; what has the number now is not ours to close.
        if SystemError.isForeign(error) { old.release() }
    }

    private mutating func connect() throws(SinkError) {
        if connection.descriptor >= 0 {
            if process == cwinnow_process_id(), !socket.isForeign { return }
            disconnect()
        }
        if lastError != 0, cwinnow_clock_monotonic() - lastErrorTime < Self.pauseNanoseconds {
            throw SinkError(systemError: lastError)
        }
        var isStream = false
        // SAFETY: connect(2) reads the path, and keeps no pointer to it.
        var result = unsafe cwinnow_socket_connect_datagram(path, sendBufferSize)
        if result == -EPROTOTYPE, allowsStream {
            isStream = true
            result = unsafe cwinnow_socket_connect_stream(path)
        }
        guard result >= 0 else {
            lastError = -result
            lastErrorTime = cwinnow_clock_monotonic()
            throw SinkError(systemError: lastError)
        }
        lastError = 0
        socket = OwnedSocket(result)
        process = cwinnow_process_id()
        connection = Connection(
            descriptor: result,
            isStream: isStream,
            number: connection.number + 1
        )
    }
}
