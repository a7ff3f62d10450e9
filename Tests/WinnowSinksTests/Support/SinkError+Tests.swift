// SPDX-License-Identifier: Apache-2.0

import WinnowCore
import WinnowTesting

/// Returns the code of what the body throws; nil where it throws nothing.
func failure(_ body: () throws(SinkError) -> Void) -> SinkError? {
    do throws(SinkError) {
        try body()
        return nil
    } catch {
        return error
    }
}

extension Sink {
    /// Writes a record of that message.
    func write(_ message: String, level: Level = .notice, fields: Fields = [:]) throws(SinkError) {
        try withRecord(LogMessage(verbatim: message), level: level, fields: fields) {
            record throws(SinkError) in
            try write(record)
        }
    }
}
