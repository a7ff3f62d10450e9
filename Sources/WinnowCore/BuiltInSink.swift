// SPDX-License-Identifier: Apache-2.0

/// A sink that comes with Winnow: what the pipeline asks of it beside what it asks of each.
///
/// Whether a sink is one is found out once, by ``Outlet``: the runtime's answer takes and frees memory,
/// and behind a crash within malloc(3) nobody may. Hence one protocol with a default for each question,
/// and not one protocol for each.
///
/// Law 1 of ``Sink`` holds for all but ``explain(_:)`` and ``mayReport``.
package protocol BuiltInSink: Sink {
    /// Closes what the sink has open, such as descriptors and connections; the next record opens it
    /// again.
    ///
    /// Called when no configuration leads to the sink any more, and what waited is delivered: a record
    /// comes behind it only from a thread that was late.
    func close()

    /// Takes leave of a destination that wants a word at the end, where nothing waits for it, and does
    /// not wait; the next record turns to it anew.
    ///
    /// Called at a normal exit, behind the last records.
    func part()

    /// Gives a destination that has no room more of it, for a reader that comes when the process is
    /// gone.
    func makeRoom()

    /// Whether no later attempt can reach the destination, such as a pipe without a reader.
    var isGone: Bool { get }

    /// Whether the rest of a record is still here that counts as delivered, as its destination has taken
    /// a part of it.
    ///
    /// The sink calls ``OwedRest/note()`` where a call leaves one, so that somebody sends it although no
    /// record comes behind.
    var owesRest: Bool { get }

    /// Gives up the records whose rest is still here, and returns their headers.
    ///
    /// Nothing that the destination takes later stands behind the part where the sink can help it.
    func takeOwed() -> [RecordHeader]

    /// Whether the sink may have something to say about itself without a failure; the same for as long
    /// as it lives.
    ///
    /// It is asked behind the delivery that follows a failure, and behind each where this says so.
    var mayReport: Bool { get }

    /// Takes what it has to say about itself, for its own log; nil where there is nothing.
    func takeReport() -> String?

    /// Says in words why it threw the error, where it knows more than the text of an errno value says;
    /// else nil.
    ///
    /// Any thread may call it, at any time.
    func explain(_ error: SinkError) -> String?
}

extension BuiltInSink {
    package func part() {}

    package func makeRoom() {}

    package var isGone: Bool { false }

    package var owesRest: Bool { false }

    package func takeOwed() -> [RecordHeader] { [] }

    package var mayReport: Bool { false }

    package func takeReport() -> String? { nil }

    package func explain(_ error: SinkError) -> String? { nil }
}
