// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization
import WinnowTesting

/// A FIFO whose reader can stop, go away, and come again.
final class FIFO: Sendable {
    let path: String
    private let reader = Mutex<Int32>(-1)

    init(_ path: String) {
        self.path = path
        unsafe mkfifo(path, 0o600)
        open()
    }

    deinit {
        hangUp()
    }

    func open() {
        reader.withLock { $0 = unsafe Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
    }

    func hangUp() {
        reader.withLock { descriptor in
            if descriptor >= 0 { close(descriptor) }
            descriptor = -1
        }
    }

    func read() -> [[UInt8]] {
        reader.withLock { $0 < 0 ? [] : [Descriptor.readAvailable($0)] }
    }

    /// Opens the end that a sink writes to.
    func writer(isNonBlocking: Bool) -> Int32 {
        let writer = unsafe Glibc.open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        if !isNonBlocking { _ = fcntl(writer, F_SETFL, O_WRONLY) }
        return writer
    }
}

/// A stream server on a local socket that reads one connection, the latest.
final class StreamReceiver: @unchecked Sendable {
    // SAFETY: the reader's lock guards all calls but the first.
    private let server: LocalServer
    private var connection: Int32 = -1

    init(path: String) {
        server = LocalServer(path: path, kind: .stream)
        _ = fcntl(server.socket, F_SETFL, O_NONBLOCK)
    }

    deinit {
        if connection >= 0 { close(connection) }
    }

    func read() -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        if connection >= 0 { pieces.append(Descriptor.readAvailable(connection)) }
        let next = server.accept()
        guard next >= 0 else { return pieces }
        if connection >= 0 { close(connection) }
        connection = next
        pieces.append(Descriptor.readAvailable(connection))
        return pieces
    }

    func stop() {
        if connection >= 0 {
            shutdown(connection, Int32(SHUT_RDWR))
            close(connection)
            connection = -1
        }
        server.stop()
    }

    func restart() {
        server.restart()
        _ = fcntl(server.socket, F_SETFL, O_NONBLOCK)
    }
}

/// A datagram server on a local socket.
final class DatagramReceiver: @unchecked Sendable {
    // SAFETY: the reader's lock guards all calls but the first.
    private let server: LocalServer

    init(path: String) {
        server = LocalServer(path: path)
    }

    /// What has come: the bytes of the datagrams, or of the memory files that came with them.
    func read() -> [[UInt8]] {
        var records: [[UInt8]] = []
        while let datagram = server.receive() {
            guard datagram.descriptor >= 0 else {
                records.append(datagram.bytes)
                continue
            }
            lseek(datagram.descriptor, 0, SEEK_SET)
            records.append(Descriptor.readAll(datagram.descriptor))
            close(datagram.descriptor)
        }
        return records
    }

    func stop() { server.stop() }
    func restart() { server.restart() }
}
