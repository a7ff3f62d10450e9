// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization

/// The ports of this machine, for servers that are told theirs before they listen.
enum Ports {
    /// Ports that the system gives to nobody who does not ask for them: a server that is stopped finds
    /// its own free again.
    ///
    /// Where the system gives nearly all, there are no such.
    private static let range: Range<Int> = {
        let file = FileHandle(forReadingAtPath: "/proc/sys/net/ipv4/ip_local_port_range")
        let text = String(decoding: (try? file?.readToEnd()) ?? Data(), as: UTF8.self)
        let first = text.split(whereSeparator: \.isWhitespace).first.flatMap { Int($0) } ?? 32_768
        return 10_000..<(first > 12_000 ? min(first, 65_536) : 65_536)
    }()

    /// Counts the ports that were looked at; another process begins elsewhere.
    private static let count = Atomic<Int>(Int(getpid()) &* 128)

    /// Returns a port that nobody uses, and that no other call returns.
    static func take(_ type: __socket_type) -> UInt16 {
        while true {
            let number = count.add(1, ordering: .relaxed).oldValue
            let port = UInt16(range.lowerBound + number % range.count)
            if canBind(port, type) { return port }
        }
    }

    static func isListening(at port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
        defer { close(descriptor) }
        return unsafe withLoopback(port: port) { unsafe connect(descriptor, $0, $1) } == 0
    }

    private static func canBind(_ port: UInt16, _ type: __socket_type) -> Bool {
        let descriptor = socket(AF_INET, Int32(type.rawValue) | O_CLOEXEC, 0)
        defer { close(descriptor) }
        return unsafe withLoopback(port: port) { unsafe bind(descriptor, $0, $1) } == 0
    }

    /// Calls the body with an address of this machine.
    private static func withLoopback(
        port: UInt16,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe body(address, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
