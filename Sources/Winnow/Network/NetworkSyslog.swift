// SPDX-License-Identifier: Apache-2.0

#if Network
internal import WinnowCore
internal import WinnowNetwork
internal import WinnowPipeline
internal import WinnowSinks

/// What the configuration and the start of the log ask of syslog over the network.
enum NetworkSyslog {
    /// The names of the sinks that lead to a server.
    static var names: [String] { SinkServer.names }

    /// The names of the options that entries for a server have, except `facility`.
    static var options: [String] { ServerOption.allCases.map(\.rawValue) }

    /// Returns the server of an entry.
    ///
    /// - Parameters:
    ///   - name: The name of its sink in lower case.
    ///   - address: What stands behind the name and its colon.
    ///   - entry: The entry.
    /// - Returns: The server; nil where the name is of no sink of the network.
    /// - Throws: What is wrong with the address.
    static func destination(
        _ name: String,
        at address: Substring?,
        in entry: Substring
    ) throws(FilterProblem) -> (any NetworkDestination)? {
        guard let transport = SinkServer.transport(of: name) else { return nil }
        return SyslogDestination(try SinkServer.server(transport, at: address, in: entry))
    }

    /// Has the log end before OpenSSL is cleaned up.
    static func prepareEnd() {
        NetworkSyslogSink.setEnd { Pipeline.endEarly() }
    }
}
#endif
