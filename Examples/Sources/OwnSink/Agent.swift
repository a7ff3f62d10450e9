// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc

/// The other end: in life another process, here a queue that reads what comes.
final class Agent {
    /// The lines that have come; read and written on the queue.
    private final class Mailbox: @unchecked Sendable {
        var lines: [[UInt8]] = []

        func read(from socket: Int32) {
            while let datagram = UnixSocket.receive(from: socket) {
                lines.append(datagram.dropLast())
            }
        }
    }

    let path: String
    private let queue = DispatchQueue(label: "agent")
    private let mailbox = Mailbox()
    private let closed = DispatchSemaphore(value: 0)
    private var source: (any DispatchSourceRead)?

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
        let socket = UnixSocket.bind(to: path)
        guard socket >= 0 else { throw SystemError(number: errno) }
        let source = DispatchSource.makeReadSource(fileDescriptor: socket, queue: queue)
        source.setEventHandler { [mailbox] in mailbox.read(from: socket) }
        source.setCancelHandler { [mailbox, closed] in
            shutdown(socket, Int32(SHUT_RD))
            mailbox.read(from: socket)
            close(socket)
            closed.signal()
        }
        source.resume()
        self.source = source
    }

    /// Ends it, when what has come is read.
    func stop() {
        guard let source else { return }
        source.cancel()
        closed.wait()
        unlink(path)
        self.source = nil
    }

    /// The lines that have come, without their ends.
    var received: [[UInt8]] {
        queue.sync {
            // What has just come, the queue has not been told of yet.
            if let source { mailbox.read(from: Int32(source.handle)) }
            return mailbox.lines
        }
    }
}

struct SystemError: Error, CustomStringConvertible {
    let number: Int32
    var description: String { String(cString: strerror(number)) }
}
