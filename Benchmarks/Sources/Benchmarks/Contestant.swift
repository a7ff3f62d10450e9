// SPDX-License-Identifier: Apache-2.0

/// A logger and where it writes to; or what its cost is compared with.
enum Contestant: String, Codable, CaseIterable {
    /// The time stamp counter alone, which deferred delivery reads for the time of a record.
    case counter
    /// clock_gettime(2) alone, which immediate delivery reads for it.
    case clock
    /// What deferred delivery cannot do without, in C: no logger.
    case reference
    case winnowDeferred
    case spdlogAsync
    case swiftLogNoOp
    /// The bytes of Winnow's line, and nothing but write(2).
    case bareWrite
    case winnowFile
    case spdlogSync
    case swiftLogFile
    case winnowPipe
    /// The same as `bareWrite`, to what is no file.
    case barePipe
    case swiftLogPipe
    /// Winnow's syslog sink, and a listener of the benchmark's own.
    case winnowListener
    case winnowSyslog
    case glibcSyslog
    case winnowJournal
    case systemdJournal

    /// The name in tables.
    var title: String {
        switch self {
        case .counter: "time stamp counter alone"
        case .clock: "clock_gettime alone"
        case .reference: "C: stamp, 64 bytes, release store"
        case .winnowDeferred: "Winnow, deferred"
        case .spdlogAsync: "spdlog, async"
        case .swiftLogNoOp: "swift-log, SwiftLogNoOpLogHandler"
        case .bareWrite, .barePipe: "write(2) of the same bytes"
        case .winnowFile: "Winnow, immediate"
        case .spdlogSync: "spdlog, flush each record"
        case .swiftLogFile, .swiftLogPipe: "swift-log, StreamLogHandler"
        case .winnowPipe: "Winnow, immediate"
        case .winnowListener: "Winnow, a listener of the benchmark's"
        case .winnowSyslog: "Winnow, /dev/log"
        case .glibcSyslog: "syslog(3), /dev/log"
        case .winnowJournal: "Winnow, immediate"
        case .systemdJournal: "sd_journal_sendv(3)"
        }
    }

    /// What of the calls it knows.
    var calls: [Call] {
        switch self {
        case .counter, .clock: [.text]
        case .reference: [.values]
        case .winnowDeferred: Call.allCases
        case .swiftLogNoOp, .winnowListener, .winnowSyslog, .winnowPipe, .swiftLogPipe,
            .winnowJournal, .systemdJournal, .bareWrite, .barePipe:
            [.text, .values, .fields]
        case .winnowFile, .swiftLogFile: [.text, .values, .fields, .filtered]
        case .spdlogAsync, .spdlogSync: [.text, .values, .filtered]
        case .glibcSyslog: [.text, .values]
        }
    }

    /// Whether it is no logger, but what each record needs at least.
    var isClock: Bool { self == .counter || self == .clock }

    /// Whether it writes to a file.
    var usesFile: Bool {
        switch self {
        case .reference, .winnowDeferred, .spdlogAsync, .bareWrite, .winnowFile, .spdlogSync,
            .swiftLogFile:
            true
        default: false
        }
    }

    /// Whether what takes its records is slower than it: bursts would measure the other side.
    var isPaced: Bool {
        switch self {
        case .winnowListener, .winnowSyslog, .glibcSyslog, .winnowJournal, .systemdJournal: true
        default: false
        }
    }
}

extension Contestant {
    /// Those that are compared with each other: the first that is Winnow's is what ratios refer to.
    static let groups: [(title: String, members: [Contestant])] = [
        (
            "Deferred: the caller leaves the record to a worker, or to nobody",
            [.winnowDeferred, .reference, .counter, .clock, .spdlogAsync, .swiftLogNoOp]
        ),
        ("Immediate: a file", [.winnowFile, .bareWrite, .spdlogSync, .swiftLogFile]),
        ("Immediate: stderr, a pipe that is read", [.winnowPipe, .barePipe, .swiftLogPipe]),
        ("Immediate: syslog", [.winnowSyslog, .glibcSyslog, .winnowListener]),
        ("Immediate: journald", [.winnowJournal, .systemdJournal]),
    ]
}
