// SPDX-License-Identifier: Apache-2.0

package import WinnowCore

/// The server in an entry of `WINNOW_SINKS`: `//host:601`, `//[::1]:601`, `//host`.
package enum SinkServer {
    /// The names of the sinks that lead to a server.
    package static let names = SyslogServer.Transport.allCases.map { "syslog+\($0.rawValue)" }

    /// The transport of a sink's name; nil for others.
    package static func transport(of name: String) -> SyslogServer.Transport? {
        SyslogServer.Transport.allCases.first { "syslog+\($0.rawValue)" == name }
    }

    /// Returns the server of what stands behind the name and its colon.
    package static func server(
        _ transport: SyslogServer.Transport,
        at address: Substring?,
        in entry: Substring
    ) throws(FilterProblem) -> SyslogServer {
        guard let address, address.hasPrefix("//") else {
            let reason = "the server is missing, as in 'syslog+\(transport.rawValue)://host:port'"
            throw FilterProblem(entry: entry, reason: reason, at: address ?? entry)
        }
        let authority = address.dropFirst(2)
        let (host, port) = try parts(of: authority, in: entry)
        guard !host.isEmpty else {
            throw FilterProblem(entry: entry, reason: "a host is missing", at: authority)
        }
        let name = try PercentEscapes.decoded(host, as: "a host", in: entry)
        guard isHost(name) else {
            throw FilterProblem(entry: entry, reason: "invalid host \(quoted(host))", at: host)
        }
        guard let port else { return SyslogServer(transport, host: name, port: nil) }
        guard let number = Int(digits: port).flatMap(UInt16.init(exactly:)), number > 0 else {
            throw FilterProblem(entry: entry, reason: "invalid port \(quoted(port))", at: port)
        }
        return SyslogServer(transport, host: name, port: number)
    }

    /// Whether the text can be a host: what a name or an address holds, and nothing that C or the
    /// status would read otherwise.
    static func isHost(_ text: String) -> Bool {
        // The longest name of the DNS, and what may follow an address of IPv6.
        (1...255).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: ":"),
                    UInt8(ascii: "%"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: false
                }
            }
    }

    /// The host, without brackets, and the port, where one is given.
    private static func parts(
        of authority: Substring,
        in entry: Substring
    ) throws(FilterProblem) -> (host: Substring, port: Substring?) {
        guard authority.hasPrefix("[") else {
            guard let (host, port) = authority.halves(separatedBy: ":") else {
                return (authority, nil)
            }
            guard !port.utf8.contains(UInt8(ascii: ":")) else {
                let reason = "an address of IPv6 stands in brackets: '[::1]'"
                throw FilterProblem(entry: entry, reason: reason, at: authority)
            }
            return (host, port)
        }
        guard let (host, rest) = authority.dropFirst().halves(separatedBy: "]") else {
            throw FilterProblem(entry: entry, reason: "']' is missing", at: authority)
        }
        if rest.isEmpty { return (host, nil) }
        guard rest.hasPrefix(":") else {
            throw FilterProblem(entry: entry, reason: "invalid port \(quoted(rest))", at: rest)
        }
        return (host, rest.dropFirst())
    }
}
