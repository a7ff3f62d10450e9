// SPDX-License-Identifier: Apache-2.0

#if Network
@_exported public import WinnowNetwork

/// Syslog over the network, qualified.
extension Winnow {
    /// The type `NetworkSyslogFormatter`, qualified.
    public typealias NetworkSyslogFormatter = WinnowNetwork.NetworkSyslogFormatter
    /// The type `NetworkSyslogSink`, qualified.
    public typealias NetworkSyslogSink = WinnowNetwork.NetworkSyslogSink
    /// The type `SyslogServer`, qualified.
    public typealias SyslogServer = WinnowNetwork.SyslogServer
}
#endif
