// SPDX-License-Identifier: Apache-2.0

/// A sink that comes with Winnow, and what the pipeline asks of such a sink in addition to ``Sink``.
///
/// ``SinkSlot`` finds out once whether a sink conforms: the cast allocates and frees memory, which nobody
/// may do after a crash within malloc(3). That is why all questions are in one protocol, with defaults,
/// instead of in one protocol each. And the first cast to a protocol takes some 0.03 ms of a process.
///
/// Law 1 of ``Sink`` holds for all but ``explain(_:)``, ``mayReport`` and
/// ``isNumbered``.
package protocol BuiltInSink: Sink {
    /// The sink as one that takes batches; nil if it is none.
    var batchSink: (any BatchSink)? { get }

    /// The sink as one that is called directly; nil if it is none.
    var directSink: (any DirectSink)? { get }

    /// Closes what the sink has open, such as descriptors and connections; the next record opens it
    /// again.
    ///
    /// Called when no configuration uses the sink any more and the waiting records are settled. Only a thread
    /// that was late can still write a record after that.
    func close()

    /// Closes the conversation with a destination that expects to be told, as TLS does, if no record waits
    /// for it; does not block, and the next record connects again.
    ///
    /// Called at a normal exit, after the last records.
    func part()

    /// Enlarges a destination that is full, such as a pipe, for a reader that comes after the process has
    /// ended.
    func makeRoom()

    /// Whether no later attempt can reach the destination, such as a pipe without a reader.
    var isGone: Bool { get }

    /// Whether the sink still holds the rest of a record that counts as delivered because its destination
    /// has taken a part of it.
    ///
    /// A sink calls ``OwedRest/note()`` when a call leaves such a rest, so that it is sent even if no other
    /// record follows.
    var owesRest: Bool { get }

    /// Gives up the records whose rest is still here, and returns their headers.
    ///
    /// If the sink can prevent it, nothing that the destination takes later continues the part.
    func takeOwed() -> [RecordHeader]

    /// Whether the sink may have something to report about itself even if nothing failed; this never
    /// changes for a sink.
    ///
    /// A sink is asked for its report after the delivery that follows a failure, and if this is true, after
    /// every delivery.
    var mayReport: Bool { get }

    /// Whether its log holds the numbers of the records, as `winnow verify` reads them; this never changes
    /// for a sink.
    var isNumbered: Bool { get }

    /// Takes what it has to say about itself, for its own log; nil where there is nothing.
    func takeReport() -> String?

    /// Says in words why it threw the error, where it knows more than the text of an errno value says;
    /// else nil.
    ///
    /// Any thread may call it, at any time.
    func explain(_ error: SinkError) -> String?
}

extension BuiltInSink {
    package var batchSink: (any BatchSink)? { nil }

    package var directSink: (any DirectSink)? { nil }

    package func part() {}

    package func makeRoom() {}

    package var isGone: Bool { false }

    package var owesRest: Bool { false }

    package func takeOwed() -> [RecordHeader] { [] }

    package var mayReport: Bool { false }

    package var isNumbered: Bool { false }

    package func takeReport() -> String? { nil }

    package func explain(_ error: SinkError) -> String? { nil }
}

extension BatchSink {
    package var batchSink: (any BatchSink)? { self }
}

extension DirectSink {
    package var directSink: (any DirectSink)? { self }
}
