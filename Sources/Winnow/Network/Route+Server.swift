// SPDX-License-Identifier: Apache-2.0

#if Network
public import WinnowCore
public import WinnowNetwork

extension Winnow.Route {
    /// A syslog server on the network; records wait in a bounded queue while it cannot be reached.
    ///
    /// - Parameters:
    ///   - server: The server: `.tcp("logs.example.org", port: 601)`.
    ///   - levels: The levels that the route lets through.
    ///   - facility: The facility of its records; nil stands for the configuration's.
    ///   - enterprise: The private enterprise number in the names of the structured data; nil means
    ///     the one that is reserved for examples.
    ///   - version: The version of the program, which its messages contain; nil omits it.
    ///   - messageByteCount: The longest message in bytes, from 1 024 to 131 072, or to 65 507 in a
    ///     datagram; nil means 8 192, which servers accept by default.
    /// - Returns: The route.
    public static func syslog(
        _ server: SyslogServer,
        levels: LevelSet = .all,
        facility: Facility? = nil,
        enterprise: UInt32? = nil,
        version: String? = nil,
        messageByteCount: Int? = nil
    ) -> Winnow.Route {
        let destination = SyslogDestination(
            server,
            enterprise: enterprise,
            version: version,
            messageByteCount: messageByteCount
        )
        var route = Winnow.Route(.network(destination), levels: levels)
        route.facility = facility
        return route
    }
}
#endif
