// SPDX-License-Identifier: Apache-2.0

/// A sink that makes its system call within ``take(_:at:)``, and returns an error instead of throwing.
///
/// A throwing protocol method would keep a stack frame open during the system call, which costs 10 ns
/// per record: see `CWinnowWrite.h`.
package protocol DirectSink: BuiltInSink {
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
    /// - Returns: What became of it; `undecided`, with nothing done, if it must be decoded.
    func take(encoded record: EncodedRecord, at now: UInt64) -> DirectResult
}

/// What became of a record that a sink was given by its encoding.
package enum DirectResult {
    case delivered
    case failed(SinkError)
    /// It must be decoded, and given to the sink again.
    case undecided
}
