// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
package import WinnowCore
internal import WinnowSinks

/// A syslog server that a route leads to, and what the route says of its messages.
package struct SyslogDestination: Sendable {
    /// The lengths in bytes that the longest message may have.
    static let messageByteCounts = 1_024...131_072

    package var server: SyslogServer
    // Nil stands for the default.
    var enterprise: UInt32?
    var version: String?
    var messageByteCount: Int?

    package init(
        _ server: SyslogServer,
        enterprise: UInt32? = nil,
        version: String? = nil,
        messageByteCount: Int? = nil
    ) {
        self.server = server
        self.enterprise = enterprise
        self.version = version
        self.messageByteCount = messageByteCount
    }
}

extension SyslogDestination: NetworkDestination {
    package var description: String { server.description }

    package var problem: String? {
        guard SinkServer.isHost(server.host) else { return "invalid host \(quoted(server.host))" }
        if server.port == 0 { return "invalid port '0'" }
        if let problem = server.identity.problem { return problem }
        let lengths = Self.messageByteCounts
        guard let byteCount = messageByteCount, !lengths.contains(byteCount) else { return nil }
        let allowed = "\(lengths.lowerBound) to \(lengths.upperBound)"
        return "invalid messageByteCount \(byteCount) (\(allowed))"
    }

    package var warning: String? {
        guard server.transport == .tls, !server.identity.isVerified else { return nil }
        return "the certificate of the server is not checked"
    }

    package func sink(identifier: String, facility: Facility) -> any Sink {
        let byteCount = messageByteCount ?? NetworkSyslogFormatter.defaultByteCount
        let formatter = NetworkSyslogFormatter(
            identifier: identifier,
            facility: facility,
            enterprise: enterprise ?? NetworkSyslogFormatter.exampleEnterprise,
            version: version,
            byteCount: min(byteCount, server.transport.greatestByteCount)
        )
        return NetworkSyslogSink(to: server, formatter: formatter)
    }
}

extension SyslogServer.Identity {
    /// What is wrong with the files; nil where nothing is.
    ///
    /// For one that is not there, or not regular, a connection would fail again and again.
    fileprivate var problem: String? {
        for path in [authorities, certificate, key].compactMap(\.self) {
            if let problem = PathProblem.of(path) { return problem }
            // SAFETY: access(2) reads the path, and keeps no pointer to it.
            let status = unsafe cwinnow_path_is_readable(path)
            guard status < 0 else { continue }
            let text = status == -EINVAL ? "it is no regular file" : systemErrorText(-status)
            return "cannot read \(quoted(path)): \(text)"
        }
        guard (certificate == nil) != (key == nil) else { return nil }
        return "a certificate and its key come together"
    }
}
