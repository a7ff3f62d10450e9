// SPDX-License-Identifier: Apache-2.0

/// A sink that can take several records with one system call.
///
/// Only the worker of deferred delivery uses it: its records stay in their rings until the sink has said
/// how many it took. Law 2 of ``Sink`` applies to ``commit()``.
package protocol BatchSink: BuiltInSink {
    /// Makes the bytes of a record, and holds them back.
    ///
    /// Returns whether they are as many as it wants to hold: then the batch ends with this record.
    func hold(_ record: borrowing Record) -> Bool

    /// Holds back a record from its encoding, after at least one other; returns what ``hold(_:)`` does, or
    /// nil, having done nothing, if the sink needs the record decoded.
    func hold(encoded record: EncodedRecord) -> Bool?

    /// Delivers everything that is held back; returns how many records, counted from the first, were
    /// delivered, and why not all of them were.
    ///
    /// Afterwards nothing is held back, whether or not it was delivered.
    func commit() -> (delivered: Int, error: SinkError?)
}

extension BatchSink {
    /// Says that the sink must have the record decoded.
    package func hold(encoded record: EncodedRecord) -> Bool? { nil }
}
