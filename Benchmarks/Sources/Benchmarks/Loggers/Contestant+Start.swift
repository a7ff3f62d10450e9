// SPDX-License-Identifier: Apache-2.0

import Winnow

extension Contestant {
    /// Starts the logger in this process, which it may do once.
    ///
    /// - Parameters:
    ///   - call: What will be logged.
    ///   - file: A path for its file or socket, at which there is nothing.
    /// - Returns: The logger.
    /// - Throws: What keeps it from starting.
    func start(_ call: Call, file: String) throws -> StartedLogger {
        switch self {
        case .counter: return .counter
        case .clock: return .clock
        case .reference: return try .reference(file: file)
        case .winnowDeferred:
            return try .winnow(call, to: .file(file), delivery: StartedLogger.deferred)
        case .spdlogAsync: return .spdlog(call, file: file, isAsync: true)
        case .swiftLogNoOp: return .swiftLog(call, isNoOp: true)
        case .bareWrite:
            return try .bareWrite(call, to: Descriptors.openToAppend(file), file: file)
        case .winnowFile: return try .winnow(call, to: .file(file))
        case .spdlogSync: return .spdlog(call, file: file, isAsync: false)
        case .swiftLogFile:
            try Descriptors.standardError(isFile: file)
            return .swiftLog(call)
        case .winnowPipe:
            try Descriptors.standardErrorIsPipe()
            return try .winnow(call, to: .stderr(color: .never))
        case .barePipe:
            return try .bareWrite(call, to: Descriptors.pipeThatIsRead(), file: file)
        case .swiftLogPipe:
            try Descriptors.standardErrorIsPipe()
            return .swiftLog(call)
        case .winnowListener:
            try Descriptors.listen(at: file)
            return try .winnow(call, to: .syslog(path: file))
        case .winnowSyslog: return try .winnow(call, to: .syslog())
        case .glibcSyslog: return .syslog(call)
        case .winnowJournal: return try .winnow(call, to: .journald())
        case .systemdJournal: return .journal(call)
        }
    }
}
