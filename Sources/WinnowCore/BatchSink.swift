// SPDX-License-Identifier: Apache-2.0

/// A sink that can take several records with one call of the system.
///
/// Only the worker of deferred delivery does it so, whose records stay where they are until the sink
/// has said how many it has taken; law 2 of ``Sink`` holds for ``commit()``.
package protocol BatchSink: BuiltInSink {
    /// Makes the bytes of a record, and holds them back.
    ///
    /// Returns whether they are as many as it wants to hold: then the batch ends with this record.
    func hold(_ record: borrowing Record) -> Bool

    /// Does the same by the encoding of a record, behind one that is held back already; nil where the
    /// sink must have it decoded, and has done nothing.
    func hold(encoded record: EncodedRecord) -> Bool?

    /// Delivers what is held back; returns how many of the records, from the first on, were delivered,
    /// and why not all. Holds nothing back then.
    func commit() -> (delivered: Int, error: SinkError?)
}

extension BatchSink {
    /// Says that the sink must have the record decoded.
    package func hold(encoded record: EncodedRecord) -> Bool? { nil }
}
