// SPDX-License-Identifier: Apache-2.0

import CMeter
import Foundation

extension StartedLogger {
    /// Writes the line that Winnow makes of the call, with write(2) and nothing else.
    ///
    /// - Parameters:
    ///   - call: What is logged.
    ///   - descriptor: Where to.
    ///   - file: A path at which there is nothing, for the making of the line.
    /// - Returns: What makes the calls.
    /// - Throws: What kept the line from being made.
    static func bareWrite(
        _ call: Call,
        to descriptor: Int32,
        file: String
    ) throws -> StartedLogger {
        let sample = file + ".sample"
        let winnow = try StartedLogger.winnow(call, to: .file(sample))
        winnow.log(Call.firstIndex, 1)
        let line = try Data(contentsOf: URL(fileURLWithPath: sample))
        try FileManager.default.removeItem(atPath: sample)
        guard !line.isEmpty else { throw BenchmarkError("Winnow wrote no line to \(sample)") }
        return StartedLogger { _, count in
            let error = line.withUnsafeBytes { bytes in
                cmeter_write(descriptor, bytes.baseAddress, Int64(bytes.count), Int64(count))
            }
            precondition(error == 0, "write(2) failed with errno \(error)")
        }
    }
}
