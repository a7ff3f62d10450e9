// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A socket for datagrams at one of the addresses of this machine.
final class DatagramReceiver: Sendable {
    private let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | O_CLOEXEC, 0)
    private let address: String

    /// Creates a socket for an address of IPv4.
    init(_ address: String) {
        self.address = address
    }

    deinit {
        close(descriptor)
    }

    /// Takes the port at the address; returns whether it was free.
    func bind(to port: UInt16) -> Bool {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        // SAFETY: both calls read what they get, and keep no pointer.
        unsafe inet_pton(AF_INET, address, &name.sin_addr)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        return unsafe withUnsafePointer(to: &name) { name in
            unsafe name.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                unsafe Glibc.bind(descriptor, name, size)
            }
        } == 0
    }

    /// The datagram that has come first and was not received yet; nil where there is none.
    func receive() -> String? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        // SAFETY: the call writes no more than the array has.
        let count = unsafe recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        return count < 0 ? nil : String(decoding: buffer.prefix(count), as: UTF8.self)
    }
}
