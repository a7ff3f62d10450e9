// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore
internal import WinnowSinks

/// Messages on their way to a server, one behind the other.
///
/// The first may be some that were counted as delivered when a stream had taken a part of them, and
/// whose rest is owed: one, with TLS as many as it encrypts together. They stay until the stream
/// has taken all of them, and are sent anew from their beginning where the connection ends before.
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
    /// How many of the first messages are owed.
    private var owedCount = 0

    var isEmpty: Bool { ends.isEmpty }
    /// Whether the rest of a message is owed.
    var isOwing: Bool { owedCount > 0 }
    /// The messages that are not counted yet.
    var newCount: Int { ends.count - owedCount }
    /// Whether the batch is as large as it should be.
    var isFull: Bool { buffer.count >= Self.batchSize }

    /// Appends the message that the body makes, without a line feed; for a stream with what tells it from
    /// the next one.
    mutating func append(
        _ header: RecordHeader,
        framing: SyslogServer.Framing?,
        _ format: (inout ByteBuffer) -> Void
    ) {
        let start = buffer.count
        format(&buffer)
        let end = buffer.count
        switch framing {
        case nil: break
        case .lineFeed: buffer.append(UInt8(ascii: "\n"))
        case .octetCounting:
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
    ///
    /// One behind which the kernel knows that the server refuses datagrams is not sent: it went where
    /// nobody listens, and where it was another one that was refused, so most likely did this one.
    mutating func sendAsDatagrams(_ descriptor: Int32) -> Int32 {
        while sent < buffer.count, let end = ends.first(where: { $0 > sent }) {
            var result = DescriptorWrite.toSocket(descriptor, buffer, from: sent, upTo: end)
            if result == -Int(EMSGSIZE) {
                // It may be what a router has said of an earlier datagram: then it is said once, and
                // the kernel knows by now what size the way takes. Source: ip(7), IP_MTU_DISCOVER.
                result = DescriptorWrite.toSocket(descriptor, buffer, from: sent, upTo: end)
            }
            guard result >= 0 else { return Int32(-result) }
            let refusal = -cwinnow_network_refusal(descriptor)
            if SystemError.endsNetworkConnection(refusal) { return refusal }
            sent = end
        }
        return 0
    }

    /// Forgets all messages but those whose rest is owed.
    ///
    /// - Parameters:
    ///   - isConnected: Whether the stream may still take the rest of messages that it has a part of; else
    ///     those were not delivered.
    ///   - heldBack: The bytes behind those sent that are on their way.
    /// - Returns: How many were delivered that were not counted before.
    mutating func settle(isConnected: Bool, heldBack: Int) -> Int {
        let whole = ends.prefix { $0 <= sent }.count
        let begun = isConnected ? count(upTo: sent + heldBack) : 0
        let counted = owedCount
        let kept = max(whole, begun, counted)
        owedCount = kept - whole
        guard isOwing else {
            removeAll()
            return kept - counted
        }
        let start = wholeEnd
        buffer.truncate(to: ends[kept - 1])
        buffer.removeFirst(start)
        ends = ends[whole..<kept].map { $0 - start }
        headers = Array(headers[whole..<kept])
        sent -= start
        return kept - counted
    }

    /// Gives up the messages that are owed; returns the headers of their records.
    mutating func takeOwed() -> [RecordHeader] {
        let owed = Array(headers.prefix(owedCount))
        if isOwing { removeAll() }
        return owed
    }

    /// Forgets all messages, those that are owed among them.
    mutating func removeAll() {
        buffer.prepare()
        ends.removeAll(keepingCapacity: true)
        headers.removeAll(keepingCapacity: true)
        sent = 0
        owedCount = 0
    }

    /// How many messages begin before the offset.
    private func count(upTo offset: Int) -> Int {
        offset > 0 ? ends.prefix { $0 < offset }.count + 1 : 0
    }

    /// Where the last message ends of which the stream has taken all.
    private var wholeEnd: Int { ends.last { $0 <= sent } ?? 0 }
}
