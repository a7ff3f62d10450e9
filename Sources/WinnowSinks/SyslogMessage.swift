// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// A record on its way to the syslog daemon, as one datagram or as a part of a stream.
struct SyslogMessage: ~Copyable {
    private var buffer = ByteBuffer(capacity: 1_024)
    /// The bytes of the buffer that a stream has taken.
    private(set) var sent = 0
    /// The connection that took them.
    private var connectionNumber: UInt64 = 0
    /// Whether the buffer ends in the NUL that a stream wants.
    private var isTerminated = false

    var count: Int { buffer.count }

    /// Takes the bytes that the body appends to an empty buffer, but for a line break at the end.
    mutating func begin(_ format: (inout ByteBuffer) -> Void) {
        forget()
        format(&buffer)
        let last = buffer.withBytes { $0.isEmpty ? 0 : $0[$0.count - 1] }
        if last == UInt8(ascii: "\n") { buffer.truncate(to: buffer.count - 1) }
    }

    mutating func forget() {
        buffer.prepare()
        sent = 0
        isTerminated = false
    }

    /// Cuts the text between two characters, and says so at its end.
    mutating func shorten(to byteCount: Int) {
        let marker: StaticString = " [truncated]"
        let room = byteCount - marker.utf8CodeUnitCount
        buffer.truncate(to: buffer.withBytes { TextCut.boundary(in: $0, atMost: room) })
        buffer.append(marker)
    }

    /// Sends what is not sent yet; returns 0 or an errno value.
    mutating func send(over connection: LocalSocket.Connection) -> Int32 {
        connection.isStream ? sendToStream(connection) : sendDatagram(connection.descriptor)
    }

    private mutating func sendDatagram(_ descriptor: Int32) -> Int32 {
        if isTerminated {
            // The daemon was a stream when this record was begun.
            buffer.truncate(to: buffer.count - 1)
            isTerminated = false
        }
        return Int32(-min(DescriptorWrite.toSocket(descriptor, buffer, from: 0), 0))
    }

    private mutating func sendToStream(_ connection: LocalSocket.Connection) -> Int32 {
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
}
