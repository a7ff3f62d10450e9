// SPDX-License-Identifier: Apache-2.0

internal import COpenSSL
internal import CWinnow
internal import WinnowCore
internal import WinnowSinks

/// A connection with TLS over a socket, which is not its own.
@safe
struct TLSSession: ~Copyable, @unchecked Sendable {
    // SAFETY: the session is this value's own; law 1 of `Sink`, one call at a time, guards it.
    private let session: OpaquePointer
    private let socket: Int32
    /// What tells the socket from another one that has its number.
    private let cookie: UInt64
    /// The process that connected: only it may say something on the stream.
    private let process: Int32

    /// Shakes hands over a socket; waits for the server no longer than the time.
    ///
    /// - Throws: ``SinkError/Code/unavailable``, with what `copenssl_session_open` says.
    init(
        to server: SyslogServer,
        over socket: Int32,
        milliseconds: Int32
    ) throws(SinkError) {
        let identity = server.identity
        var error: Int32 = 0
        let opened = unsafe server.host.withCString { host in
            unsafe withOptionalCString(identity.authorities) { authorities in
                unsafe withOptionalCString(identity.certificate) { certificate in
                    unsafe withOptionalCString(identity.key) { key in
                        var identity = unsafe copenssl_identity(
                            host: host,
                            authorities: authorities,
                            certificate: certificate,
                            key: key,
                            is_verified: identity.isVerified
                        )
                        // SAFETY: the call copies what it needs of the strings.
                        return unsafe copenssl_session_open(
                            socket,
                            &identity,
                            milliseconds,
                            &error
                        )
                    }
                }
            }
        }
        guard let opened = unsafe opened else { throw SinkError(networkError: error) }
        unsafe session = opened
        self.socket = socket
        cookie = cwinnow_socket_cookie(socket)
        process = cwinnow_process_id()
    }

    deinit {
        if process == cwinnow_process_id(), cwinnow_socket_cookie(socket) == cookie {
            unsafe copenssl_session_close(session)
        } else {
            unsafe copenssl_session_forget(session)
        }
    }

    /// Ends the value without a word to the server.
    consuming func forget() {
        unsafe copenssl_session_forget(session)
        discard self
    }

    /// The bytes behind those that the socket has taken which wait, encrypted.
    borrowing func heldBack() -> Int { unsafe Int(copenssl_session_held_back(session)) }

    /// Sends bytes; returns how many the socket has taken, or a negated errno value.
    borrowing func write(_ bytes: borrowing ByteBuffer, from offset: Int) -> Int {
        unsafe bytes.withRest(from: offset) { rest in
            guard let base = rest.baseAddress else { return 0 }
            // SAFETY: the call encrypts the bytes and keeps no pointer.
            return unsafe Int(copenssl_session_write(session, base, rest.count))
        }
    }

    /// Sends what the session holds back; 0 or a negated errno value.
    borrowing func flush() -> Int32 {
        unsafe copenssl_session_flush(session)
    }

    /// Whether the server still listens: 0 or a negated errno value.
    borrowing func check() -> Int32 {
        unsafe copenssl_session_check(session)
    }
}

/// Calls the body with a text as C has it; with NULL for nil.
private func withOptionalCString<Result>(
    _ text: String?,
    _ body: (UnsafePointer<CChar>?) -> Result
) -> Result {
    guard let text else { return body(nil) }
    return unsafe text.withCString { unsafe body($0) }
}
