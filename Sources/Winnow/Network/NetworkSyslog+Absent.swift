// SPDX-License-Identifier: Apache-2.0

#if !Network
internal import WinnowCore
internal import WinnowSinks

/// What an entry for a server says to a build without the trait `Network`: that it has no syslog over the
/// network.
enum NetworkSyslog {
    static var names: [String] { [] }

    static var options: [String] { [] }

    /// Returns nil for a sink of this machine; throws for a server.
    static func destination(
        _ name: String,
        at address: Substring?,
        in entry: Substring
    ) throws(FilterProblem) -> (any NetworkDestination)? {
        guard name.hasPrefix("syslog+") else { return nil }
        throw FilterProblem(
            entry: entry,
            reason:
                "this build has no syslog over the network, which needs the trait Network of Winnow",
            at: entry
        )
    }

    static func prepareEnd() {}
}
#endif
