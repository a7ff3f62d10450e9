// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// The kinds of errno values that a sink answers in a way of its own.
enum SystemError {
    /// Whether a connection is at its end, and a new one may do better.
    static func endsConnection(_ error: Int32) -> Bool {
        switch error {
        case ECONNREFUSED, ENOTCONN, EPIPE, ECONNRESET,
            ENOENT, EBADF, ENOTSOCK:
            true
        default: false
        }
    }

    /// Whether a connection over the network is at its end, or the way to its other side.
    static func endsNetworkConnection(_ error: Int32) -> Bool {
        switch error {
        case ETIMEDOUT, ECONNABORTED, EHOSTUNREACH, EHOSTDOWN, ENETUNREACH, ENETDOWN, ENETRESET,
            EACCES, EPERM, EADDRNOTAVAIL, EPROTO, EKEYREJECTED, EKEYREVOKED, ENOKEY, ELIBACC,
            ESHUTDOWN:
            true
        default: endsConnection(error)
        }
    }

    /// Whether the descriptor is no longer the one that we opened.
    static func isForeign(_ error: Int32) -> Bool {
        error == EBADF || error == ENOTSOCK
    }
}

extension SinkError {
    /// Creates the error for what a system call refused with.
    init(systemError: Int32) {
        self.init(Self.code(for: systemError), systemError: systemError)
    }

    /// Creates the error for what a system call refused with on the network.
    init(networkError: Int32) {
        let isAway = SystemError.endsNetworkConnection(networkError)
        self.init(isAway ? .unavailable : Self.code(for: networkError), systemError: networkError)
    }

    private static func code(for systemError: Int32) -> Code {
        switch systemError {
        case EAGAIN, ENOBUFS, ENOMEM, ETOOMANYREFS: .busy
        case ENOENT, ENOTDIR, ELOOP, EACCES, EPERM,
            ECONNREFUSED, ENOTCONN, EPIPE, ECONNRESET,
            ENXIO, EBADF, ENOTSOCK, EPROTOTYPE:
            .unavailable
        case EMSGSIZE: .rejected
        default: .failed
        }
    }
}
