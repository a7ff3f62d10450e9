// SPDX-License-Identifier: Apache-2.0

/// A sink that makes its system call within ``take(_:at:)``, and returns an error rather than throwing it:
/// the function of a protocol that throws is one that stays open meanwhile, which costs a record 10 ns, as
/// `CWinnowWrite.h` says.
package protocol DirectSink: Sink {
    /// Writes one record, as ``Sink/write(_:)`` does.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - now: The time, in nanoseconds since 1970, where the caller has just read it; else 0.
    /// - Returns: Why the record was not delivered; nil where it was.
    func take(_ record: borrowing Record, at now: UInt64) -> SinkError?
}
