// SPDX-License-Identifier: Apache-2.0

import Glibc
import WinnowTesting

/// A syslog server over TCP that reads one connection, the latest, and takes messages by their counts.
final class TCPReceiver: @unchecked Sendable {
    // SAFETY: the reader's lock guards all calls but the first.
    private let server: NetworkServer
    private var connection: Int32 = -1
    /// What has come of a message that is not whole; it ends with its connection.
    private var rest: [UInt8] = []

    var port: UInt16 { server.port }

    init() {
        server = NetworkServer(.stream)
        server.prepare()
    }

    deinit {
        hangUp()
    }

    /// The messages that have come.
    func read() -> [[UInt8]] {
        var messages = readConnection()
        let next = server.accept()
        guard next >= 0 else { return messages }
        hangUp()
        connection = next
        messages += readConnection()
        return messages
    }

    func stop() {
        hangUp()
        server.stop()
    }

    func restart() {
        stop()
        server.listen()
        server.prepare()
    }

    private func hangUp() {
        rest = []
        guard connection >= 0 else { return }
        shutdown(connection, Int32(SHUT_RDWR))
        close(connection)
        connection = -1
    }

    private func readConnection() -> [[UInt8]] {
        guard connection >= 0 else { return [] }
        rest += Descriptor.readAvailable(connection)
        return NetworkServer.messages(&rest)
    }
}

/// A syslog server over UDP.
final class UDPReceiver: @unchecked Sendable {
    // SAFETY: the reader's lock guards all calls but the first.
    private let server: NetworkServer

    var port: UInt16 { server.port }

    init() {
        server = NetworkServer(.datagram)
        server.prepare()
    }

    func read() -> [[UInt8]] {
        var messages: [[UInt8]] = []
        while let message = server.receiveNow() { messages.append(message) }
        return messages
    }

    func stop() { server.stop() }

    func restart() {
        server.stop()
        server.listen()
        server.prepare()
    }
}

extension NetworkServer {
    /// Makes the calls return at once, and sets how much may wait: a stream little, so that a test can
    /// fill it, and datagrams much, as the kernel drops what finds no room.
    func prepare() {
        var size: Int32 = kind == .stream ? 65_536 : 8 << 20
        let option = kind == .stream ? SO_RCVBUF : SO_RCVBUFFORCE
        if unsafe setsockopt(socket, SOL_SOCKET, option, &size, 4) != 0 {
            unsafe setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, 4)
        }
        _ = fcntl(socket, F_SETFL, O_NONBLOCK)
    }

    /// Returns the next datagram; nil where none waits.
    func receiveNow() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 1 << 17)
        let count = unsafe recv(socket, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        return count < 0 ? nil : Array(bytes[..<count])
    }
}
