// SPDX-License-Identifier: Apache-2.0

import CCalls
import Logging

/// Logs through swift-log's own handler to standard error.
@main
enum SwiftLogCalls {
    static let logger = Logger(label: "faults") { StreamLogHandler.standardError(label: $0) }

    static func main() {
        let ran = unsafe ccalls_run { text in
            SwiftLogCalls.logger.notice("\(unsafe text.map { unsafe String(cString: $0) } ?? "")")
            return false
        }
        guard ran else { fatalError("FAULT_COUNTS names no file") }
    }
}
