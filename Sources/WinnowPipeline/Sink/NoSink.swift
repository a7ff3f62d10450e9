// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// A placeholder that is never called, for a sink that takes no batches, or that is not called directly.
final class NoSink: BatchSink, DirectSink {
    static let shared = NoSink()

    func write(_ record: borrowing Record) throws(SinkError) {
        throw SinkError(.rejected)
    }

    func take(_ record: borrowing Record, at now: UInt64) -> SinkError? { SinkError(.rejected) }

    func take(encoded record: EncodedRecord, at now: UInt64) -> DirectResult { .undecided }

    func hold(_ record: borrowing Record) -> Bool { true }

    func close() {}

    func commit() -> (delivered: Int, error: SinkError?) { (0, SinkError(.rejected)) }
}
