// SPDX-License-Identifier: Apache-2.0

/// The part of the system that a record comes from, in the terms of syslog.
///
/// A value: MT-Safe. AS-Safe except ``name``, which is looked up and copied.
///
/// Source: RFC 5424, section 6.2.1, table 1; names as in syslog(3).
@frozen
public enum Facility: UInt8, Sendable, Hashable, CaseIterable {
    /// The kernel. A program that claims it is taken for `user` by most receivers.
    case kernel = 0
    /// Programs of users: the default.
    case user = 1
    /// The mail system.
    case mail = 2
    /// System daemons.
    case daemon = 3
    /// Security and authorization.
    case auth = 4
    /// The syslog daemon itself.
    case syslog = 5
    /// The line printer system.
    case lpr = 6
    /// The news system.
    case news = 7
    /// The UUCP system.
    case uucp = 8
    /// The clock daemon.
    case cron = 9
    /// Security and authorization, private.
    case authpriv = 10
    /// The FTP daemon.
    case ftp = 11
    /// For local use.
    case local0 = 16
    /// For local use.
    case local1 = 17
    /// For local use.
    case local2 = 18
    /// For local use.
    case local3 = 19
    /// For local use.
    case local4 = 20
    /// For local use.
    case local5 = 21
    /// For local use.
    case local6 = 22
    /// For local use.
    case local7 = 23

    /// The name as syslog(3) and its configuration files spell it, in lower case.
    public var name: String {
        // Not by the names of the cases: the first one that Swift's runtime looks up takes 0.2 ms.
        switch self {
        case .kernel: "kern"
        case .user: "user"
        case .mail: "mail"
        case .daemon: "daemon"
        case .auth: "auth"
        case .syslog: "syslog"
        case .lpr: "lpr"
        case .news: "news"
        case .uucp: "uucp"
        case .cron: "cron"
        case .authpriv: "authpriv"
        case .ftp: "ftp"
        case .local0: "local0"
        case .local1: "local1"
        case .local2: "local2"
        case .local3: "local3"
        case .local4: "local4"
        case .local5: "local5"
        case .local6: "local6"
        case .local7: "local7"
        }
    }
}
