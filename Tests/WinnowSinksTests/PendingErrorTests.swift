// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import WinnowCore
import WinnowNetwork
import WinnowSinks

/// Errors that wait on a socket for the next call, and are of an earlier one.
@Suite(
    .enabled(if: PathMessage.isPossible, "only root can send a message of ICMP"),
    .timeLimit(.minutes(30))
)
struct PendingErrorTests {
    @Test func `a message that an earlier datagram was too long loses no record`() throws {
        let server = NetworkServer(.datagram)
        let sink = makeNetworkSink(.udp("127.0.0.1", port: server.port))
        sink.writeOnceConnected("one")
        let number = try #require(Descriptor.number(ofSocketTo: server.port))
        let message = try #require(PathMessage(for: number, to: server.port))
        message.send()
        try sink.write("two")
        #expect(server.receive().hasSuffix("] one"))
        let second = server.receive()
        #expect(second.hasSuffix("] two"))
        #expect(second.contains("[meta sequenceId=\"2\"]"))
    }
}

/// What a router says of a datagram that was too long for the next part of the way.
private struct PathMessage {
    static let isPossible: Bool = {
        let descriptor = makeSocket()
        defer { close(descriptor) }
        return descriptor >= 0
    }()

    private var bytes: [UInt8]

    /// Makes the message for a socket that is connected to a port of 127.0.0.1.
    init?(for descriptor: Int32, to port: UInt16) {
        var own = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = unsafe withUnsafeMutablePointer(to: &own) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &size)
            }
        }
        guard status == 0 else { return nil }
        let source = UInt16(bigEndian: own.sin_port)
        let loopback: [UInt8] = [127, 0, 0, 1]
        // Type, code, checksum, nothing; the greatest size, with which no route changes.
        // Source: RFC 1191, section 4.
        bytes = [3, 4, 0, 0, 0, 0, 0xFF, 0xFF]
        // The header of the datagram that it is about: IPv4, UDP, not to be fragmented.
        bytes += [0x45, 0, 0, 100, 0, 0, 0x40, 0, 64, 17, 0, 0] + loopback + loopback
        bytes += [source, port, 80, 0].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        let checksum = Self.checksum(of: bytes)
        bytes[2] = UInt8(checksum >> 8)
        bytes[3] = UInt8(checksum & 0xFF)
    }

    /// Sends it; it has been received on return, as the loopback device hands over at once.
    func send() {
        let descriptor = Self.makeSocket()
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let sent = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe sendto(
                    descriptor,
                    bytes,
                    bytes.count,
                    0,
                    $0,
                    socklen_t(MemoryLayout<sockaddr_in>.size)
                )
            }
        }
        #expect(sent == bytes.count)
    }

    private static func makeSocket() -> Int32 {
        socket(AF_INET, Int32(SOCK_RAW.rawValue) | O_CLOEXEC, Int32(IPPROTO_ICMP))
    }

    /// Source: RFC 1071.
    private static func checksum(of bytes: [UInt8]) -> UInt16 {
        var sum: UInt32 = 0
        for index in stride(from: 0, to: bytes.count, by: 2) {
            sum += UInt32(bytes[index]) << 8 | UInt32(bytes[index + 1])
        }
        while sum > 0xFFFF { sum = sum & 0xFFFF + sum >> 16 }
        return ~UInt16(sum)
    }
}
