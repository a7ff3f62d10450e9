// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore
internal import WinnowSinks

/// The connection to a server, and the messages on their way to it.
struct SyslogTransmission: ~Copyable {
    /// The greatest `sequenceId`, after which comes 1.
    ///
    /// Source: RFC 5424, section 7.3.1.
    private static let greatestSequenceID: UInt64 = 2_147_483_647

    var link: NetworkLink
    var frames = SyslogFrames()
    /// The number of messages that were delivered.
    private var deliveredCount: UInt64
    /// The process that has the messages.
    private var process = cwinnow_process_id()

    init(to server: SyslogServer, deliveredCount: UInt64) {
        link = NetworkLink(to: server)
        self.deliveredCount = deliveredCount
    }

    /// The number of the next message.
    var nextSequenceID: UInt32 {
        UInt32((deliveredCount + UInt64(frames.newCount)) % Self.greatestSequenceID) + 1
    }

    /// Forgets what the parent of a fork has left.
    mutating func adopt() {
        let current = cwinnow_process_id()
        guard process != current else { return }
        process = current
        deliveredCount = 0
        frames.removeAll()
        link.adopt()
    }

    /// Sends the messages; returns how many were delivered that had not been before, and why not all.
    mutating func deliver() -> (delivered: Int, error: SinkError?) {
        var failure: SinkError?
        var isConnected = true
        do throws(SinkError) {
            try send(isConnected: &isConnected)
        } catch {
            failure = error
        }
        let delivered = frames.settle(isConnected: isConnected, heldBack: link.heldBack())
        deliveredCount += UInt64(delivered)
        if frames.isOwing { OwedRest.note() }
        return (delivered, failure)
    }

    /// Gives up the messages that are owed, and with them the connection that has a part of them;
    /// returns the headers of their records.
    mutating func takeOwed() -> [RecordHeader] {
        let owed = frames.takeOwed()
        guard !owed.isEmpty else { return [] }
        link.reopen()
        deliveredCount -= UInt64(owed.count)
        return owed
    }

    /// Ends a connection with TLS of this process that has taken all.
    mutating func part() {
        guard link.server.transport == .tls, process == cwinnow_process_id(), link.isConnected,
            frames.isEmpty, link.flush() == 0, link.heldBack() == 0
        else { return }
        link.reopen()
    }

    private mutating func send(isConnected: inout Bool) throws(SinkError) {
        var wait = BoundedWait()
        while true {
            isConnected = false
            let descriptor = try link.connect()
            isConnected = true
            let error =
                link.server.transport.isStream
                ? frames.sendAsStream(over: link)
                : frames.sendAsDatagrams(descriptor)
            if error == 0 { return }
            if error == EAGAIN, wait.untilWritable(descriptor) { continue }
            guard SystemError.endsNetworkConnection(error) else {
                throw SinkError(networkError: error)
            }
            isConnected = false
            link.end(after: error)
            throw SinkError(networkError: error)
        }
    }

    /// Sends what is left of messages that were delivered.
    ///
    /// - Throws: ``SinkError/Code/busy`` where the server does not take it now,
    ///   ``SinkError/Code/unavailable`` where it cannot be reached.
    mutating func flush() throws(SinkError) {
        var failure = frames.isOwing ? deliver().error : nil
        let isHeldBack = link.heldBack() > 0
        let status = link.flush()
        if status < 0, status != -EAGAIN { link.end(after: -status) }
        // What was held back is sent now: without a word of that, it would be sent to the next connection
        // as well.
        if status == 0, isHeldBack { failure = deliver().error }
        guard frames.isOwing || status == -EAGAIN else { return }
        throw failure ?? SinkError(.busy, systemError: EAGAIN)
    }
}
