// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore
internal import WinnowSinks

/// A socket that is connected to a server, with TLS where the server wants it.
struct NetworkConnection: ~Copyable {
    // It ends before the socket does, as properties end in this order.
    private let session: TLSSession?
    private let descriptor: OwnedSocket

    /// Looks the server up and connects, which may take seconds.
    ///
    /// - Parameters:
    ///   - server: The server.
    ///   - turn: The number of the address to begin with, which may be larger than their count; then
    ///     that of the one which has taken the connection, also where TLS fails there.
    ///   - addressCount: How many there are, where the name was found.
    ///   - milliseconds: The time that each of its addresses has to answer, and that TLS may take.
    /// - Throws: ``SinkError`` with why there is no connection.
    init(
        to server: SyslogServer,
        turn: inout UInt32,
        addressCount: inout UInt32,
        milliseconds: Int32
    ) throws(SinkError) {
        var lookupError: Int8 = 0
        // SAFETY: getaddrinfo(3) reads the name, and keeps no pointer to it.
        let result = unsafe cwinnow_network_connect(
            server.host,
            server.port,
            server.transport.isStream,
            &turn,
            &addressCount,
            milliseconds,
            &lookupError
        )
        guard result >= 0 else {
            throw SinkError(.unavailable, systemError: -result, lookupError: lookupError)
        }
        let socket = OwnedSocket(result)
        session =
            server.transport == .tls
            ? try TLSSession(to: server, over: result, milliseconds: milliseconds) : nil
        descriptor = socket
    }

    /// The socket.
    var socket: Int32 { descriptor.rawValue }

    /// The bytes of a stream behind those that the socket has taken which wait, encrypted.
    borrowing func heldBack() -> Int { session?.heldBack() ?? 0 }

    /// Sends bytes of a stream; returns how many the socket has taken, or a negated errno value.
    borrowing func write(_ bytes: borrowing ByteBuffer, from offset: Int) -> Int {
        if session != nil { return session?.write(bytes, from: offset) ?? 0 }
        return DescriptorWrite.toSocket(socket, bytes, from: offset)
    }

    /// Sends what TLS holds back; 0 or a negated errno value.
    borrowing func flush() -> Int32 {
        isForeign ? -EBADF : session?.flush() ?? 0
    }

    /// Whether the descriptor is another one by now: the program has closed ours.
    var isForeign: Bool { descriptor.isForeign }

    /// Whether the server of a stream still listens: 0 or a negated errno value.
    borrowing func check() -> Int32 {
        session?.check() ?? cwinnow_network_check(socket)
    }

    /// Whether the machine of the server, or the way to it, is gone: it answers nothing for a minute.
    var isSilent: Bool { cwinnow_network_is_silent(socket) }

    /// For how many nanoseconds nothing was heard of the server of a stream; 0 where nobody knows.
    borrowing func unheardNanoseconds() -> UInt64 {
        isForeign ? 0 : UInt64(cwinnow_network_unheard(socket)) * 1_000_000
    }

    /// Ends the value without a word, and closes nothing.
    consuming func forget() {
        session?.forget()
        descriptor.release()
    }
}
