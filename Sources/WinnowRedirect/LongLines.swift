// SPDX-License-Identifier: Apache-2.0

internal import CWinnowRedirect

/// The lines that are too long to come at once: what the rules say of the first piece holds for all of
/// the line, as the others have neither its beginning nor its mark.
struct LongLines {
    /// Whose line it is.
    private struct Printer: Hashable {
        let thread: Int32
        let origin: UInt16
        let stream: UInt8

        init(_ header: cwinnow_line) {
            (thread, origin, stream) = (header.thread, header.origin, header.stream)
        }
    }

    private var decisions: [Printer: RedirectDecision] = [:]
    /// The lines that were lost before: the last piece of one that has begun may be among those since.
    private var lost: UInt64 = 0

    /// Returns what was decided of the line that this one goes on with; nil where it begins one.
    mutating func decision(on line: QueuedLine) -> RedirectDecision? {
        guard !decisions.isEmpty else { return nil }
        if lost != LineTally.crowdedOut { decisions.removeAll() }
        let printer = Printer(line.header)
        let decision =
            line.ending == .length ? decisions[printer] : decisions.removeValue(forKey: printer)
        guard case .log(let level, let category, _, _) = decision else { return decision }
        return unsafe line.text.withMemoryRebound(to: UInt8.self) { bytes in
            // SAFETY: the span ends with the closure, and the line lives longer.
            .log(level, category: category, text: PrintedLine(unsafe bytes.span).text)
        }
    }

    /// Notes what was decided of a line, which others may go on with.
    mutating func note(_ decision: RedirectDecision, on line: QueuedLine) {
        guard line.ending == .length else { return }
        if decisions.isEmpty { lost = LineTally.crowdedOut }
        decisions[Printer(line.header)] = decision
    }
}
