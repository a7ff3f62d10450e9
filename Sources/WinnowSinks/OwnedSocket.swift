// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// A socket that is closed exactly once, and only while its number leads to it: what the program has
/// opened since under that number, as after closefrom(3), is not ours.
package struct OwnedSocket: ~Copyable {
    package let rawValue: Int32
    /// What tells the socket from another one that has its number.
    private let cookie: UInt64

    /// Takes over the duty to close a socket.
    package init(_ rawValue: Int32) {
        self.rawValue = rawValue
        cookie = cwinnow_socket_cookie(rawValue)
    }

    deinit {
        if !isForeign { _ = cwinnow_descriptor_close(rawValue) }
    }

    /// Whether the number leads to something else by now: the program has closed ours.
    package var isForeign: Bool { cwinnow_socket_cookie(rawValue) != cookie }

    /// Closes nothing.
    package consuming func release() {
        discard self
    }
}
