// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore
internal import WinnowSinks

extension SystemError {
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
}

extension SinkError {
    /// Creates the error for what a system call refused with on the network.
    init(networkError: Int32) {
        let isAway = SystemError.endsNetworkConnection(networkError)
        self.init(isAway ? .unavailable : Self.code(for: networkError), systemError: networkError)
    }
}
