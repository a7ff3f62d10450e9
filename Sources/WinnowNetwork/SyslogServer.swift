// SPDX-License-Identifier: Apache-2.0

internal import WinnowSinks

/// A syslog server on the network, and how to reach it.
///
/// A value: MT-Safe, AS-Unsafe heap. Creating one looks up no name and connects to nothing.
public struct SyslogServer: Sendable, Hashable {
    package enum Transport: String, Sendable, CaseIterable {
        case udp, tcp, tls
    }

    /// How the two sides of a connection with TLS prove who they are: paths of files in PEM.
    package struct Identity: Sendable, Hashable {
        package var authorities: String?
        package var certificate: String?
        package var key: String?
        package var isVerified = true

        /// The same files, by paths from the root on.
        var absolute: Identity {
            var identity = self
            identity.authorities = authorities.map(AbsolutePath.of)
            identity.certificate = certificate.map(AbsolutePath.of)
            identity.key = key.map(AbsolutePath.of)
            return identity
        }
    }

    /// What tells the messages of a stream apart.
    ///
    /// No message contains a line feed, as its texts are escaped: either way, each is one at the server.
    /// This is a closed set.
    @frozen
    public enum Framing: Sendable, Hashable, CaseIterable {
        /// The number of its bytes in front of each message, which most servers tell from a line by
        /// its first digit.
        ///
        /// Source: RFC 6587, section 3.4.1; RFC 5425, section 4.3.
        case octetCounting
        /// A line feed behind each message, for servers that take lines, as fluent-bit, fluentd and
        /// `network()` of syslog-ng do unless told otherwise.
        ///
        /// If a connection ends within a message, such a server may take its beginning for a message,
        /// before it gets the whole one over the next connection.
        ///
        /// Source: RFC 6587, section 3.4.2.
        case lineFeed
    }

    package let transport: Transport
    package var identity = Identity()
    package var framing = Framing.octetCounting
    /// The name of the machine, or its address in IPv4 or IPv6, without brackets.
    public let host: String
    /// The port of the server.
    public let port: UInt16

    package init(_ transport: Transport, host: String, port: UInt16?) {
        self.transport = transport
        self.host = host
        self.port = port ?? transport.defaultPort
    }

    /// A server that takes datagrams, which may get lost or reordered in transit without notice.
    ///
    /// Source: RFC 5426.
    public static func udp(_ host: String, port: UInt16 = 514) -> SyslogServer {
        SyslogServer(.udp, host: host, port: port)
    }

    /// A server that takes a stream of messages.
    ///
    /// Source: RFC 6587; the port of RFC 3195.
    ///
    /// - Parameters:
    ///   - host: The name or address of the server.
    ///   - port: The port of the server.
    ///   - framing: What tells the messages apart.
    /// - Returns: The server.
    public static func tcp(
        _ host: String,
        port: UInt16 = 601,
        framing: Framing = .octetCounting
    ) -> SyslogServer {
        var server = SyslogServer(.tcp, host: host, port: port)
        server.framing = framing
        return server
    }

    /// A server that takes the same stream over TLS 1.2 or later; its certificate must be valid for the
    /// host and come from a trusted authority.
    ///
    /// Needs OpenSSL 3 at run time, `libssl.so.3`, which a program without such a server does not
    /// load. The files are read again for each connection; a relative path is taken from the folder
    /// that the program is in when a sink is made of it.
    ///
    /// Source: RFC 5425.
    ///
    /// - Parameters:
    ///   - host: The name or address of the server, as its certificate has it.
    ///   - port: The port of the server.
    ///   - framing: What tells the messages apart.
    ///   - authorities: A file of the certificates that may have issued the server's; nil means those
    ///     that the system trusts.
    ///   - certificate: A file with the program's own certificate, and those above it, if the server
    ///     asks for one.
    ///   - key: The file of the key that belongs to it.
    ///   - checksCertificate: Whether the server's certificate is checked. Without the check, anybody on
    ///     the network path can read the log and impersonate the server; each start warns about it.
    /// - Returns: The server.
    public static func tls(
        _ host: String,
        port: UInt16 = 6_514,
        framing: Framing = .octetCounting,
        authorities: String? = nil,
        certificate: String? = nil,
        key: String? = nil,
        checksCertificate: Bool = true
    ) -> SyslogServer {
        var server = SyslogServer(.tls, host: host, port: port)
        server.framing = framing
        server.identity = Identity(
            authorities: authorities,
            certificate: certificate,
            key: key,
            isVerified: checksCertificate
        )
        return server
    }
}

extension SyslogServer.Transport {
    /// The port that IANA has registered.
    package var defaultPort: UInt16 {
        switch self {
        case .udp: 514
        case .tcp: 601
        case .tls: 6_514
        }
    }

    /// The longest message that can be sent, in bytes: for a datagram what one of IPv4 holds.
    package var greatestByteCount: Int {
        isStream ? NetworkSyslogFormatter.greatestByteCount : 65_507
    }

    /// Whether messages are a stream, and not one a datagram.
    var isStream: Bool { self != .udp }
}

extension SyslogServer: CustomStringConvertible {
    /// The server as `WINNOW_SINKS` names it: `syslog+tcp://[::1]:601`.
    public var description: String {
        let host = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return "syslog+\(transport.rawValue)://\(host):\(port)"
    }
}
