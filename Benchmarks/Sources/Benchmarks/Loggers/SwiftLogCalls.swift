// SPDX-License-Identifier: Apache-2.0

import Logging

/// The calls of swift-log.
enum SwiftLogCalls {
    /// - Parameters:
    ///   - call: What is logged.
    ///   - log: The logger.
    ///   - isCritical: Whether the level is the only one that the no-op handler lets through.
    /// - Returns: What makes the calls.
    static func make(
        _ call: Call,
        _ log: Logger,
        isCritical: Bool = false
    ) -> @Sendable (Int, Int) -> Void {
        let level = isCritical ? Logger.Level.critical : .notice
        return switch call {
        case .text, .filtered, .stripped: { text(log, level, $0, $1) }
        case .values: { values(log, level, Call.path, $0, $1) }
        case .fields: { fields(log, level, Call.path, $0, $1) }
        }
    }

    @inline(never)
    private static func text(_ log: Logger, _ level: Logger.Level, _ first: Int, _ count: Int) {
        for _ in first..<first + count { log.log(level: level, "server started") }
    }

    @inline(never)
    private static func values(
        _ log: Logger,
        _ level: Logger.Level,
        _ path: String,
        _ first: Int,
        _ count: Int
    ) {
        for index in first..<first + count {
            let milliseconds = Double(index & 1_023) * 0.125
            log.log(level: level, "request \(index) took \(milliseconds) ms for \(path)")
        }
    }

    @inline(never)
    private static func fields(
        _ log: Logger,
        _ level: Logger.Level,
        _ path: String,
        _ first: Int,
        _ count: Int
    ) {
        for index in first..<first + count {
            log.log(
                level: level,
                "request done",
                metadata: [
                    "id": "\(index)", "ms": "\(Double(index & 1_023) * 0.125)", "path": "\(path)",
                ]
            )
        }
    }
}
