// SPDX-License-Identifier: Apache-2.0

import CMeter
import CPeers

extension Contestant {
    private static let journalSocket = "/run/systemd/journal/socket"
    private static let syslogSocket = "/dev/log"

    /// Why it cannot run here; nil where it can.
    var obstacle: String? {
        switch self {
        case .spdlogAsync, .spdlogSync:
            cpeers_spdlog_version() == nil ? Self.missing("libspdlog-dev") : nil
        case .winnowJournal: Self.silence(at: Self.journalSocket, of: "journald")
        case .systemdJournal:
            cpeers_has_journal()
                ? Self.silence(at: Self.journalSocket, of: "journald")
                : Self.missing("libsystemd-dev")
        case .winnowSyslog, .glibcSyslog: Self.silence(at: Self.syslogSocket, of: "syslog daemon")
        default: nil
        }
    }

    private static func silence(at path: String, of whom: String) -> String? {
        cmeter_is_listening(path) ? nil : "no \(whom) listens at \(path)"
    }

    private static func missing(_ package: String) -> String {
        "built without \(package): install it with apt, and remove Benchmarks/.build"
    }
}
