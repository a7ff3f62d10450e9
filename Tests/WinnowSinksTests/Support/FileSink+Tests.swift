// SPDX-License-Identifier: Apache-2.0

import WinnowCore
import WinnowSinks
import WinnowTesting

extension FileSink {
    /// Writes a record of the time, in nanoseconds since 1970.
    func write(_ message: String, at time: UInt64) throws(SinkError) {
        try withRecord(LogMessage(verbatim: message), timestamp: time) {
            record throws(SinkError) in
            try write(record)
        }
    }

    /// Has a record of the time held back for a batch.
    @discardableResult
    func hold(_ message: String, at time: UInt64 = 1) -> Bool {
        withRecord(LogMessage(verbatim: message), timestamp: time) { hold($0) }
    }
}
