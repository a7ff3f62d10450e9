// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A syslog server on a loopback address that a test can look into.
final class NetworkServer {
    enum Kind { case datagram, stream }

    let host: String
    private(set) var port: UInt16 = 0
    let kind: Kind
    private(set) var socket: Int32 = -1

    init(_ kind: Kind, host: String = "127.0.0.1") {
        self.kind = kind
        self.host = host
        listen()
    }

    /// Keeps a port of streams for a server of another process, which listens at it with SO_REUSEADDR.
    ///
    /// As long as this lives, the kernel gives the port to nobody who asks for any.
    init(keepingPortAt host: String) {
        kind = .stream
        self.host = host
        open()
    }

    deinit {
        stop()
    }

    /// Ends the server; its port stays its own.
    func stop() {
        guard socket >= 0 else { return }
        shutdown(socket, Int32(SHUT_RDWR))
        close(socket)
        socket = -1
    }

    /// Listens, again at the port of before.
    func listen() {
        open()
        if kind == .stream { _ = Glibc.listen(socket, 4) }
    }

    private func open() {
        let family = host.utf8.contains(UInt8(ascii: ":")) ? AF_INET6 : AF_INET
        let type = kind == .datagram ? SOCK_DGRAM : SOCK_STREAM
        socket = Glibc.socket(family, Int32(type.rawValue) | O_CLOEXEC, 0)
        var on: Int32 = 1
        unsafe setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, 4)
        // A connection of another test may have the port of before for a moment.
        let deadline = ContinuousClock.now + .seconds(60)
        while (family == AF_INET6 ? bindIPv6() : bindIPv4()) != 0 {
            precondition(ContinuousClock.now < deadline, "cannot bind \(host) port \(port)")
            usleep(10_000)
        }
    }

    /// Accepts a connection, and waits for one; its descriptor.
    func accept() -> Int32 {
        let connection = Glibc.accept(socket, nil, nil)
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        return connection
    }

    /// Returns the next datagram, and waits for one.
    func receive() -> String {
        var bytes = [UInt8](repeating: 0, count: 1 << 17)
        let count = unsafe recv(socket, &bytes, bytes.count, 0)
        return String(decoding: bytes[..<max(count, 0)], as: UTF8.self)
    }

    /// Returns the next bytes of a connection, and waits for them; none at its end.
    static func read(_ connection: Int32) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = unsafe recv(connection, &bytes, bytes.count, 0)
        return Array(bytes[..<max(count, 0)])
    }

    /// Takes messages, with the number of their bytes in front, from the beginning; leaves what is
    /// no whole one.
    static func frames(_ bytes: inout [UInt8]) -> [String] {
        messages(&bytes).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The same, as bytes.
    static func messages(_ bytes: inout [UInt8]) -> [[UInt8]] {
        var frames: [[UInt8]] = []
        while let space = bytes.firstIndex(of: UInt8(ascii: " ")),
            let count = Int(String(decoding: bytes[..<space], as: UTF8.self)),
            bytes.count > space + count
        {
            let end = space + 1 + count
            frames.append(Array(bytes[(space + 1)..<end]))
            bytes.removeFirst(end)
        }
        return frames
    }

    private func bindIPv4() -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = bind(&address)
        port = UInt16(bigEndian: address.sin_port)
        return status
    }

    private func bindIPv6() -> Int32 {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        address.sin6_addr = in6addr_loopback
        let status = bind(&address)
        port = UInt16(bigEndian: address.sin6_port)
        return status
    }

    private func bind<Address>(_ address: inout Address) -> Int32 {
        unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                var size = socklen_t(MemoryLayout<Address>.size)
                let status = unsafe Glibc.bind(socket, address, size)
                _ = unsafe getsockname(socket, address, &size)
                return status
            }
        }
    }
}
