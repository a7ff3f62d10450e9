// SPDX-License-Identifier: Apache-2.0

import CMeter
import CPeers
import Logging

extension StartedLogger {
    /// swift-log with its handler for stderr, or with the one that does nothing.
    static func swiftLog(_ call: Call, isNoOp: Bool = false) -> StartedLogger {
        var log = Logger(label: "bench") { label -> any LogHandler in
            if isNoOp { return SwiftLogNoOpLogHandler(label) }
            return StreamLogHandler.standardError(label: label)
        }
        log.logLevel = call == .filtered ? .error : .debug
        return StartedLogger(log: SwiftLogCalls.make(call, log, isCritical: isNoOp))
    }

    /// spdlog with a file.
    static func spdlog(_ call: Call, file: String, isAsync: Bool) -> StartedLogger {
        cpeers_spdlog_start(file, isAsync, call == .filtered)
        return startedSpdlog(call)
    }

    /// spdlog with a queue, and a sink that makes one write(2) of each record.
    static func spdlog(_ call: Call, stream: Int32) -> StartedLogger {
        cpeers_spdlog_start_stream(stream)
        return startedSpdlog(call)
    }

    private static func startedSpdlog(_ call: Call) -> StartedLogger {
        let kind = call.ofPeers
        return StartedLogger(
            log: { cpeers_spdlog_call(kind, Int64($0), Int64($1)) },
            drain: { cpeers_spdlog_drain() },
            finish: { cpeers_spdlog_finish() },
            lost: { cpeers_spdlog_lost() }
        )
    }

    /// The limit in C; it knows `values` alone.
    static func reference(file: String) throws -> StartedLogger {
        let error = cpeers_reference_start(file)
        guard error == 0 else { throw BenchmarkError("the reference in C: errno \(error)") }
        return StartedLogger(
            log: { cpeers_reference_call(Int64($0), Int64($1)) },
            drain: { cpeers_reference_drain() },
            finish: { cpeers_reference_finish() }
        )
    }

    /// syslog(3).
    static func syslog(_ call: Call) -> StartedLogger {
        cpeers_syslog_start(call == .filtered)
        let kind = call.ofPeers
        return StartedLogger(log: { cpeers_syslog_call(kind, Int64($0), Int64($1)) })
    }

    /// sd_journal_sendv(3).
    static func journal(_ call: Call) -> StartedLogger {
        let kind = call.ofPeers
        return StartedLogger(log: { cpeers_journal_call(kind, Int64($0), Int64($1)) })
    }

    /// The clock that a record's time is.
    static let clock = StartedLogger(log: { cmeter_read_clock(Int64($1)) })

    /// The time stamp counter.
    static let counter = StartedLogger(log: { cmeter_read_counter(Int64($1)) })
}

extension Call {
    /// The case as the loggers in C know it.
    fileprivate var ofPeers: cpeers_case {
        switch self {
        case .text, .stripped: CPEERS_TEXT
        case .values: CPEERS_VALUES
        case .fields: CPEERS_FIELDS
        case .filtered: CPEERS_FILTERED
        }
    }
}
