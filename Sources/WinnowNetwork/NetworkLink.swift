// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore
internal import WinnowSinks

/// The connection to a server, which is made when it is needed, and made again when it ends.
///
/// Nothing here waits: the connecting is done on a thread of its own.
struct NetworkLink: ~Copyable {
    /// How long an address is used for datagrams before the server's name is looked up again, in
    /// nanoseconds: as long as many names in the DNS hold that are meant to change.
    private static let lookupInterval: UInt64 = 30_000_000_000
    /// The age from which on a datagram waits for the answer: it would go where the server may have been.
    private static let longestLookupAge: UInt64 = 60_000_000_000

    let server: SyslogServer
    private var connection: NetworkConnection?
    private var attempt: ConnectionAttempt?
    private var pause = ReconnectPause()
    /// Counts the connections: bytes sent on an earlier one are void.
    private(set) var number: UInt64 = 0
    /// The process that connected, or tries to: a child must not write to its parent's stream.
    private var process: Int32 = 0
    private var connectionTime: UInt64 = 0
    /// When the address of the connection was looked up last, or that was tried in vain.
    private var lookupTime: UInt64 = 0
    /// When it was last asked whether the server is silent.
    private var silenceTime: UInt64 = 0
    /// The number of the address that is tried first: the one of the last connection, or the next one
    /// where that was of no use.
    ///
    /// Otherwise, an address that takes a connection, and then fails in TLS or ends it, would keep all
    /// records from the others.
    private var turn: UInt32 = 0
    /// How many addresses the server has, and how many of them have refused datagrams one after the other.
    private var addressCount: UInt32 = 1
    private var refusalCount: UInt32 = 0
    /// Why there is no connection; nil while one may just be coming.
    private var lastError: SinkError?

    init(to server: SyslogServer) {
        self.server = server
    }

    /// Whether a connection was made, which may be at its end by now.
    var isConnected: Bool { connection != nil }

    /// Sees to it that there is a connection; returns its socket.
    ///
    /// - Throws: ``SinkError/Code/busy`` while the first attempt lasts,
    ///   ``SinkError/Code/unavailable`` after one has failed.
    mutating func connect() throws(SinkError) -> Int32 {
        adopt()
        if connection != nil {
            let error = check()
            if error != 0 { end(after: error) }
        }
        let now = cwinnow_clock_monotonic()
        if attempt == nil, connection == nil ? pause.isOver(at: now) : isOld(at: now) {
            begin(at: now)
        }
        if let attempt, attempt.isOver { take(attempt, at: now) }
        guard let socket = connection?.socket, !isTooOld(at: now) else { throw absence }
        return socket
    }

    /// Begins an attempt to connect.
    private mutating func begin(at now: UInt64) {
        attempt = ConnectionAttempt.start(to: server, turn: turn)
        guard attempt == nil else { return }
        lookupTime = now
        if connection == nil { fail(SinkError(.unavailable, systemError: EAGAIN), at: now) }
    }

    /// Takes what an attempt has come to; where that is nothing, a connection that there is stays.
    private mutating func take(_ finished: ConnectionAttempt, at now: UInt64) {
        attempt = nil
        lookupTime = now
        guard let made = finished.takeConnection() else {
            guard connection == nil else { return }
            turn = finished.turn &+ 1
            return fail(finished.error ?? SinkError(.unavailable), at: now)
        }
        turn = finished.turn
        addressCount = finished.addressCount
        connection = consume made
        number += 1
        connectionTime = now
        lastError = nil
    }

    /// Whether a connection for datagrams has an address that is to be looked up again: unlike a stream, it
    /// never ends where the server has another one by now.
    private func isOld(at now: UInt64) -> Bool {
        !server.transport.isStream && now - lookupTime >= Self.lookupInterval
    }

    /// Whether no datagram is sent to that address before the name server has answered, as one that was not
    /// used for long may be another machine's by now.
    private func isTooOld(at now: UInt64) -> Bool {
        attempt != nil && isOld(at: now) && now - lookupTime >= Self.longestLookupAge
    }

    /// Returns why the connection is at its end; 0 where it is not known to be.
    private mutating func check() -> Int32 {
        if connection?.isForeign == true { return EBADF }
        guard server.transport.isStream else { return 0 }
        let status = connection?.check() ?? 0
        guard status == 0 else { return -status }
        let now = cwinnow_clock_monotonic()
        guard now - silenceTime > 1_000_000_000 else { return 0 }
        silenceTime = now
        return connection?.isSilent == true ? ETIMEDOUT : 0
    }

    /// The bytes of a stream behind those that the socket has taken which wait, encrypted.
    borrowing func heldBack() -> Int { connection?.heldBack() ?? 0 }

    /// Sends bytes of a stream; returns how many the socket has taken, or a negated errno value.
    borrowing func write(_ bytes: borrowing ByteBuffer, from offset: Int) -> Int {
        if connection == nil { return -Int(ENOTCONN) }
        return connection?.write(bytes, from: offset) ?? 0
    }

    /// Sends what the connection holds back; 0 or a negated errno value.
    ///
    /// What the server has said is read away first: where the process ends with some of it unread, the kernel
    /// resets the connection, and all that it has not sent is gone (RFC 2525, section 2.17).
    mutating func flush() -> Int32 {
        let error = check()
        return error == 0 ? connection?.flush() ?? 0 : -error
    }

    /// Ends the connection, which a call has refused with an errno value.
    mutating func end(after error: Int32) {
        let now = cwinnow_clock_monotonic()
        let isForeign = SystemError.isForeign(error)
        if !isForeign, !wasOfUse(until: now) { turn &+= 1 }
        // The program has closed our descriptor; what has the number now is not ours to close.
        if isForeign {
            connection.take()?.forget()
        } else {
            connection = nil
        }
        // The next address may be the one that the server listens at: nobody waits for that.
        if !server.transport.isStream, !isForeign, refusalCount + 1 < addressCount {
            refusalCount += 1
            lastError = nil
            return
        }
        refusalCount = 0
        pause.begin(at: now, after: now - connectionTime)
        // The server may be back at once: nobody is told before another attempt has failed.
        lastError = pause.isOver(at: now) ? nil : SinkError(networkError: error)
    }

    /// Whether another connection to the same address is likely to do as well as the one that ends.
    private borrowing func wasOfUse(until now: UInt64) -> Bool {
        // Datagrams are connected at once, also where nobody listens; that is known only now.
        guard server.transport.isStream else { return false }
        // The end may be noticed long after it, by the next record.
        let heard = now - min(connection?.unheardNanoseconds() ?? 0, now)
        return heard > connectionTime && ReconnectPause.isWorthwhile(heard - connectionTime)
    }

    /// Ends the connection; the next call makes another one, however short ago the last try was.
    mutating func reopen() {
        connection = nil
        attempt = nil
        pause = ReconnectPause()
        lastError = nil
    }

    /// Begins anew in the child of a fork; before anything else is done there.
    mutating func adopt() {
        let current = cwinnow_process_id()
        guard process != current else { return }
        process = current
        // One that is over is ended like a connection.
        if attempt?.isOver == false { attempt?.leave() }
        reopen()
    }

    private mutating func fail(_ error: SinkError, at now: UInt64) {
        lastError = SinkError(
            .unavailable,
            systemError: error.systemError,
            lookupError: error.lookupError
        )
        pause.begin(at: now)
    }

    private var absence: SinkError {
        lastError ?? SinkError(.busy, systemError: EINPROGRESS)
    }
}
