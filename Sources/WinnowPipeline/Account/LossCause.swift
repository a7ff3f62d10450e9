// SPDX-License-Identifier: Apache-2.0

/// Why a sink lost a record.
public enum LossCause: String, Sendable, Hashable, CaseIterable {
    /// The sink could not take records, and the queue for them was full.
    case queueFull = "the queue was full"
    /// The ring of the thread that logged was full, as the worker did not keep up.
    case overflow = "the worker did not keep up"
    /// The sink refused the record for good.
    case rejected = "the sink refused them"
    /// The sink was not there, and its fallback was not either, or refused the record.
    case unavailable = "the sink was not there"
    /// The program ended before the sink took them.
    case exit = "the program ended"
    /// Another configuration took the place of the sink's before the sink took them.
    case replaced = "the configuration was replaced"
    /// A sink logged from within, and gets neither its own records nor what other sinks log about them.
    ///
    /// Counted, and not reported in the log: the report would have the sink log again, and so on without end.
    case reentrant = "the sink logged them itself, or had others log them"
    /// Another sink logged them while it took a record that a sink had logged: such records would multiply.
    ///
    /// A sink of the program's own is not told of these either.
    case nested = "another sink logged them about what a sink had logged"
}
