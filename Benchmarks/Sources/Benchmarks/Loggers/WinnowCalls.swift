// SPDX-License-Identifier: Apache-2.0

import Winnow

/// The calls of Winnow.
enum WinnowCalls {
    static func make(_ call: Call, _ log: Log) -> @Sendable (Int, Int) -> Void {
        switch call {
        case .text, .filtered: { text(log, $0, $1) }
        case .values: { values(log, Call.path, $0, $1) }
        case .fields: { fields(log, Call.path, $0, $1) }
        case .stripped: { stripped(log, $0, $1) }
        }
    }

    @inline(never)
    private static func text(_ log: Log, _ first: Int, _ count: Int) {
        for _ in first..<first + count { log.notice("server started") }
    }

    @inline(never)
    private static func values(_ log: Log, _ path: String, _ first: Int, _ count: Int) {
        for index in first..<first + count {
            log.notice("request \(index) took \(Double(index & 1_023) * 0.125) ms for \(path)")
        }
    }

    @inline(never)
    private static func fields(_ log: Log, _ path: String, _ first: Int, _ count: Int) {
        for index in first..<first + count {
            let milliseconds = Double(index & 1_023) * 0.125
            log.notice("request done", ("id", index), ("ms", milliseconds), ("path", path))
        }
    }

    @inline(never)
    private static func stripped(_ log: Log, _ first: Int, _ count: Int) {
        for _ in first..<first + count { log.debug("server started") }
    }
}
