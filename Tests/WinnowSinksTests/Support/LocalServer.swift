// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A receiver on a local socket: a journald or a syslog daemon that a test can look into.
final class LocalServer {
    enum Kind { case datagram, stream }

    /// One datagram: its bytes, and the descriptor that came with it, or -1.
    struct Datagram {
        var bytes: [UInt8]
        var descriptor: Int32
    }

    let path: String
    private let kind: Kind
    private(set) var socket: Int32 = -1

    init(path: String, kind: Kind = .datagram) {
        self.path = path
        self.kind = kind
        listen()
    }

    deinit {
        stop()
    }

    /// Ends the receiver; its path stays, as that of a daemon that was killed does.
    ///
    /// A program that another test is just starting holds a copy of the socket until it runs, so
    /// that the end is only when nobody can connect any more.
    func stop() {
        guard socket >= 0 else { return }
        close(socket)
        socket = -1
        while canConnect() { usleep(100) }
    }

    /// Starts the receiver anew at the same path.
    func restart() {
        stop()
        unsafe unlink(path)
        listen()
    }

    /// Returns the next datagram; nil where none is waiting.
    func receive() -> Datagram? {
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        // One `cmsghdr` of 16 bytes, a descriptor of 4, and padding.
        var control = [Int32](repeating: 0, count: 6)
        var descriptor: Int32 = -1
        let count = unsafe bytes.withUnsafeMutableBytes { bytes in
            unsafe control.withUnsafeMutableBytes { control in
                var part = unsafe iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
                return unsafe withUnsafeMutablePointer(to: &part) { part in
                    var message = unsafe msghdr(
                        msg_name: nil,
                        msg_namelen: 0,
                        msg_iov: part,
                        msg_iovlen: 1,
                        msg_control: control.baseAddress,
                        msg_controllen: control.count,
                        msg_flags: 0
                    )
                    return unsafe recvmsg(socket, &message, Int32(MSG_DONTWAIT))
                }
            }
        }
        guard count >= 0 else { return nil }
        // 20 bytes, SOL_SOCKET, SCM_RIGHTS.
        if control[0] == 20, control[2] == 1, control[3] == 1 { descriptor = control[4] }
        return Datagram(bytes: Array(bytes[..<count]), descriptor: descriptor)
    }

    /// Returns all datagrams that are waiting, as text.
    func receiveTexts() -> [String] {
        var texts: [String] = []
        while let datagram = receive() {
            texts.append(String(decoding: datagram.bytes, as: UTF8.self))
        }
        return texts
    }

    /// Accepts a connection to a stream; returns its descriptor.
    func accept() -> Int32 {
        let connection = Glibc.accept(socket, nil, nil)
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        return connection
    }

    /// Accepts a connection to a stream and ends it, whoever else holds a copy of it.
    func hangUp() {
        let connection = accept()
        shutdown(connection, Int32(SHUT_RDWR))
        close(connection)
    }

    /// Sends itself datagrams until no more have room.
    func fill() {
        let sender = makeSocket()
        defer { close(sender) }
        _ = unsafe withAddress { address, size in unsafe connect(sender, address, size) }
        while unsafe send(sender, "x", 1, Int32(MSG_DONTWAIT)) == 1 {}
    }

    private func canConnect() -> Bool {
        let probe = makeSocket()
        defer { close(probe) }
        return unsafe withAddress { address, size in unsafe connect(probe, address, size) } == 0
    }

    private func listen() {
        socket = makeSocket()
        let status = unsafe withAddress { address, size in unsafe bind(socket, address, size) }
        precondition(status == 0, "cannot bind \(path)")
        if kind == .stream { _ = Glibc.listen(socket, 4) }
    }

    private func makeSocket() -> Int32 {
        let type = kind == .datagram ? SOCK_DGRAM : SOCK_STREAM
        // SOCK_CLOEXEC is O_CLOEXEC.
        return Glibc.socket(AF_UNIX, Int32(type.rawValue) | O_CLOEXEC, 0)
    }

    private func withAddress(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { target in
            unsafe target.copyBytes(from: path.utf8)
        }
        return unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe body(address, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
