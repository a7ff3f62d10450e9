// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// Stands where a sink takes no batches, and is never called.
final class NoBatchSink: BatchSink {
    static let shared = NoBatchSink()

    func write(_ record: borrowing Record) throws(SinkError) {
        throw SinkError(.rejected)
    }

    func hold(_ record: borrowing Record) -> Bool { true }

    func commit() -> (delivered: Int, error: SinkError?) { (0, SinkError(.rejected)) }
}
