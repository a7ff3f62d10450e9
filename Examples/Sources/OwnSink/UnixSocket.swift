// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What the sink and the agent of this example ask of unix(7).
enum UnixSocket {
    /// Returns a socket that neither blocks nor raises SIGPIPE; -1, and errno, where nobody listens.
    static func connect(to path: String) -> Int32 {
        open(path) { Glibc.connect($0, $1, $2) }
    }

    /// Returns a socket that listens at a path; -1, and errno, where it cannot.
    static func bind(to path: String) -> Int32 {
        open(path) { Glibc.bind($0, $1, $2) }
    }

    /// Sends a datagram; returns 0 or the errno value.
    static func send(_ bytes: Span<UInt8>, to socket: Int32) -> Int32 {
        bytes.withUnsafeBytes { bytes in
            let flags = Int32(MSG_NOSIGNAL)
            let count = Glibc.send(socket, bytes.baseAddress, bytes.count, flags)
            return count == bytes.count ? 0 : errno
        }
    }

    /// Returns the next datagram, at most 64 KiB of it; nil where none waits.
    static func receive(from socket: Int32) -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            count = max(0, recv(socket, buffer.baseAddress, buffer.count, 0))
        }
        return bytes.isEmpty ? nil : bytes
    }

    private typealias Call = (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32

    private static func open(_ path: String, _ call: Call) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let isWhole = withUnsafeMutableBytes(of: &address.sun_path) { place in
            place.copyBytes(from: path.utf8)
            return path.utf8.count < place.count
        }
        guard isWhole else {
            errno = ENAMETOOLONG
            return -1
        }
        let kind = Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let socket = Glibc.socket(AF_UNIX, kind, 0)
        guard socket >= 0 else { return -1 }
        let status = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                call(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        if status == 0 { return socket }
        let error = errno
        close(socket)
        errno = error
        return -1
    }
}
