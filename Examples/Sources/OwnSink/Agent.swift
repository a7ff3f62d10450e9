// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The other end: in life another process, here an object.
final class Agent {
    let path: String
    private var socket: Int32 = -1
    private var lines: [[UInt8]] = []

    init() throws {
        var folder = Array("/tmp/winnow-agent-XXXXXX".utf8CString)
        guard mkdtemp(&folder) != nil else { throw SystemError(number: errno) }
        let name = folder.dropLast().map { UInt8(bitPattern: $0) }
        path = String(decoding: name, as: UTF8.self) + "/agent"
        try start()
    }

    deinit {
        stop()
        rmdir(String(path.dropLast("/agent".count)))
    }

    func start() throws {
        socket = UnixSocket.bind(to: path)
        if socket < 0 { throw SystemError(number: errno) }
    }

    /// Ends it; what has come is read first.
    func stop() {
        _ = received
        close(socket)
        unlink(path)
    }

    /// The lines that have come, without their ends.
    var received: [[UInt8]] {
        while socket >= 0, let datagram = UnixSocket.receive(from: socket) {
            lines.append(datagram.dropLast())
        }
        return lines
    }
}

struct SystemError: Error, CustomStringConvertible {
    let number: Int32
    var description: String { String(cString: strerror(number)) }
}
