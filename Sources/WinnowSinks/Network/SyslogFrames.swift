// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// Messages on their way to a server, one behind the other.
///
/// The first may be one that was counted as delivered when a stream had taken a part of it, and whose
/// rest is owed: it stays until the stream has taken all of it, and is sent anew from its beginning
/// where the connection ends before.
struct SyslogFrames: ~Copyable {
    /// The bytes from which on a batch is sent.
    private static let batchSize = 256 * 1_024

    private var buffer = ByteBuffer(capacity: 2_048)
    /// Where each message ends.
    private var ends: [Int] = []
    /// The header of each message's record.
    private var headers: [RecordHeader] = []
    /// The bytes that the connection has taken.
    private var sent = 0
    /// The connection that has taken them.
    private var connection: UInt64 = 0
    /// Whether the first message is owed.
    private(set) var isOwing = false

    var isEmpty: Bool { ends.isEmpty }
    /// The messages that are not counted yet.
    var newCount: Int { ends.count - (isOwing ? 1 : 0) }
    /// Whether the batch is as large as it should be.
    var isFull: Bool { buffer.count >= Self.batchSize }

    /// Appends the message that the body makes; for a stream with its number of bytes in front.
    ///
    /// Source: RFC 6587, section 3.4.1.
    mutating func append(
        _ header: RecordHeader,
        counted: Bool,
        _ format: (inout ByteBuffer) -> Void
    ) {
        let start = buffer.count
        format(&buffer)
        if counted {
            let end = buffer.count
            buffer.append(decimal: UInt64(end - start))
            buffer.append(UInt8(ascii: " "))
            buffer.rotate(from: start, rightBy: buffer.count - end)
        }
        ends.append(buffer.count)
        headers.append(header)
    }

    /// Sends messages until the stream takes no more; returns 0 or an errno value.
    mutating func sendAsStream(over link: borrowing NetworkLink) -> Int32 {
        if link.number != connection {
            connection = link.number
            sent = wholeEnd
        }
        while sent < buffer.count {
            let result = link.write(buffer, from: sent)
            guard result > 0 else { return Int32(-result) }
            sent += result
        }
        return 0
    }

    /// Sends each message as a datagram; returns 0 or an errno value.
    mutating func sendAsDatagrams(_ descriptor: Int32) -> Int32 {
        while sent < buffer.count, let end = ends.first(where: { $0 > sent }) {
            let result = DescriptorWrite.toSocket(descriptor, buffer, from: sent, upTo: end)
            guard result >= 0 else { return Int32(-result) }
            sent = end
        }
        return 0
    }

    /// Forgets all messages but the one whose rest is owed.
    ///
    /// - Parameter isConnected: Whether the stream may still take the rest of a message that it has
    ///   a part of; else that message was not delivered.
    /// - Returns: How many were delivered that were not counted before.
    mutating func settle(isConnected: Bool) -> Int {
        let whole = ends.prefix { $0 <= sent }.count
        let isTorn = sent > wholeEnd
        let wasOwing = isOwing
        isOwing = (wasOwing && whole == 0) || (isTorn && isConnected)
        let delivered = whole + (isOwing ? 1 : 0) - (wasOwing ? 1 : 0)
        guard isOwing else {
            removeAll()
            return delivered
        }
        let start = wholeEnd
        let end = ends[whole]
        let header = headers[whole]
        buffer.truncate(to: end)
        buffer.removeFirst(start)
        ends.removeAll(keepingCapacity: true)
        ends.append(end - start)
        headers.removeAll(keepingCapacity: true)
        headers.append(header)
        sent -= start
        return delivered
    }

    /// Gives up the message that is owed; returns the header of its record, nil where there is none.
    mutating func takeOwed() -> RecordHeader? {
        guard isOwing, let header = headers.first else { return nil }
        removeAll()
        return header
    }

    /// Forgets all messages, one that is owed among them.
    mutating func removeAll() {
        buffer.prepare()
        ends.removeAll(keepingCapacity: true)
        headers.removeAll(keepingCapacity: true)
        sent = 0
        isOwing = false
    }

    /// Where the last message ends of which the stream has taken all.
    private var wholeEnd: Int { ends.last { $0 <= sent } ?? 0 }
}
