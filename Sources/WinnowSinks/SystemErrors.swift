// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
package import WinnowCore

/// The kinds of errno values that a sink answers in a way of its own.
package enum SystemError {
    /// Whether a connection is at its end, and a new one may do better.
    package static func endsConnection(_ error: Int32) -> Bool {
        switch error {
        case ECONNREFUSED, ENOTCONN, EPIPE, ECONNRESET,
            ENOENT, EBADF, ENOTSOCK:
            true
        default: false
        }
    }

    /// Whether the descriptor is no longer the one that we opened.
    package static func isForeign(_ error: Int32) -> Bool {
        error == EBADF || error == ENOTSOCK
    }
}

extension SinkError {
    /// Creates the error for what a system call refused with.
    init(systemError: Int32) {
        self.init(Self.code(for: systemError), systemError: systemError)
    }

    /// The kind of an errno value.
    package static func code(for systemError: Int32) -> Code {
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
