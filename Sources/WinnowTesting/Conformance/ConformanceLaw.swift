// SPDX-License-Identifier: Apache-2.0

/// One law of a protocol, which a check can hold an implementation to.
///
/// A value: MT-Safe, AS-Unsafe heap.
public struct ConformanceLaw: Sendable, Hashable {
    /// The name of the check.
    public let name: String
    /// What the law demands, in a sentence.
    public let text: String
    /// Where it stands.
    public let source: String

    init(_ name: String, _ text: String, source: String) {
        self.name = name
        self.text = text
        self.source = source
    }
}

extension ConformanceLaw: CustomStringConvertible {
    /// The law in one line: `delivery: What write(_:) took is … (laws 2 and 6 of Sink)`.
    public var description: String { "\(name): \(text) (\(source))" }
}

/// The laws of `Sink`.
extension ConformanceLaw {
    /// What `write(_:)` took is at the destination.
    public static let delivery = ConformanceLaw(
        "delivery",
        "What write(_:) took is at the destination once, whole and in order after flush().",
        source: "laws 2 and 6 of Sink"
    )
    /// What `write(_:)` threw for is not at the destination.
    public static let refusal = ConformanceLaw(
        "refusal",
        "A record for which write(_:) threw is not at the destination, and comes once if it is"
            + " written again; the error says what is the matter.",
        source: "laws 2 and 7 of Sink, SinkError.Code"
    )
    /// `write(_:)` does not wait for long.
    public static let boundedTime = ConformanceLaw(
        "boundedTime",
        "Where the destination takes nothing, write(_:) returns soon, throws busy before it has"
            + " taken 32 MiB, and loses nothing that it took.",
        source: "laws 2, 3 and 7 of Sink"
    )
    /// One record becomes one record, whatever its message holds.
    public static let hostileMessages = ConformanceLaw(
        "hostileMessages",
        "One record becomes one record, whatever bytes its message holds.",
        source: "law 4 of Sink"
    )
    /// One record becomes one record, whatever its fields, its category and its place hold.
    public static let hostileFields = ConformanceLaw(
        "hostileFields",
        "One record becomes one record, whatever its fields, its category and its place in the"
            + " source hold, and however many fields it has.",
        source: "law 4 of Sink"
    )
    /// A record of one mebibyte is one record.
    public static let largeMessages = ConformanceLaw(
        "largeMessages",
        "A record of 1 MiB becomes one record, cut only where the destination has a limit, or is"
            + " rejected.",
        source: "laws 2 and 4 of Sink"
    )
    /// Any thread may call the sink.
    public static let threads = ConformanceLaw(
        "threads",
        "Any thread may call the sink, one at a time.",
        source: "law 1 of Sink"
    )
    /// The record is the sink's for the length of the call only.
    public static let lending = ConformanceLaw(
        "lending",
        "Nothing of a record is read after write(_:) has returned.",
        source: "law 8 of Sink"
    )
    /// `flush()` and `reopen()` deliver nothing anew.
    public static let idleCalls = ConformanceLaw(
        "idleCalls",
        "flush() and reopen() succeed where there is nothing to do, and deliver nothing twice.",
        source: "laws 2 and 6 of Sink"
    )
    /// The sink writes on after `reopen()`.
    public static let reopening = ConformanceLaw(
        "reopening",
        "What was written before reopen() and what is written after it is at the destination.",
        source: "laws 2 and 7 of Sink"
    )
    /// `reopen()` leads to where the destination is now.
    public static let relocation = ConformanceLaw(
        "relocation",
        "After reopen() records go to the destination that stands at its place now.",
        source: "reopen() of Sink"
    )
    /// No call raises SIGPIPE.
    public static let signals = ConformanceLaw(
        "signals",
        "No call raises SIGPIPE, also where nobody reads the destination any more.",
        source: "law 9 of Sink"
    )
    /// A failure leaves no descriptor behind.
    public static let descriptors = ConformanceLaw(
        "descriptors",
        "A thousand failures leave no descriptors behind.",
        source: "law 9 of Sink"
    )

    /// All laws of `Sink` that are checked.
    public static let ofSink: [ConformanceLaw] = [
        delivery, refusal, boundedTime, hostileMessages, hostileFields, largeMessages, threads,
        lending, idleCalls, reopening, relocation, signals, descriptors,
    ]
}

/// The laws of `Formatter`.
extension ConformanceLaw {
    /// A formatter leaves what the buffer holds.
    public static let appending = ConformanceLaw(
        "appending",
        "A record is appended, and what the buffer holds already stays.",
        source: "format(_:into:) of Formatter"
    )
    /// The texts of a record cannot end it.
    public static let oneRecord = ConformanceLaw(
        "oneRecord",
        "No byte of a record's own texts ends the record or begins another.",
        source: "law 1 of Formatter"
    )
    /// A record is formatted without a memory of others.
    public static let independence = ConformanceLaw(
        "independence",
        "The same record gives the same bytes, whatever was formatted before.",
        source: "law 2 of Formatter"
    )

    /// All laws of `Formatter` that are checked.
    public static let ofFormatter: [ConformanceLaw] = [appending, oneRecord, independence]
}
