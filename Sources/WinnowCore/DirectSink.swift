// SPDX-License-Identifier: Apache-2.0

/// A sink that makes its system call within ``take(_:at:)``, and returns an error rather than
/// throwing it: the function of a protocol that throws is one that stays open meanwhile, which
/// costs a record 10 ns, as `CWinnowWrite.h` says.
package protocol DirectSink: Sink {
    /// Writes one record, as ``Sink/write(_:)`` does.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - now: The time, in nanoseconds since 1970, where the caller has just read it; else 0.
    /// - Returns: Why the record was not delivered; nil where it was.
    func take(_ record: borrowing Record, at now: UInt64) -> SinkError?

    /// Writes one record by its encoding, where its line can be made of that.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - now: As for ``take(_:at:)``.
    /// - Returns: What became of it; where it must be decoded, nothing was done.
    func take(encoded record: EncodedRecord, at now: UInt64) -> DirectResult
}

/// What became of a record that a sink was given by its encoding.
package enum DirectResult {
    case delivered
    case failed(SinkError)
    /// It must be decoded, and given to the sink again.
    case undecided
}
