// SPDX-License-Identifier: Apache-2.0

internal import CWinnowRedirect

/// The rules as the worker applies them, with what it knows of the origins and of the lines before.
struct LineJudgement: ~Copyable {
    /// Which of the rules that held one after the other.
    let generation: UInt64
    let receiver: (any LineReceiver)?
    private var cache: RuleCache
    private var longLines = LongLines()
    private var repeats: RepeatedLines
    private var origins: [LineOrigin] = []

    init(
        _ generation: UInt64,
        _ rules: RuleSet,
        _ receiver: (any LineReceiver)?,
        _ tally: LineTally
    ) {
        self.generation = generation
        self.receiver = receiver
        cache = RuleCache(rules)
        repeats = RepeatedLines(tally)
    }

    mutating func origin(_ number: UInt16) -> LineOrigin {
        while origins.count <= Int(number) {
            origins.append(LineOrigin(number: UInt32(origins.count)))
        }
        return origins[Int(number)]
    }

    mutating func decide(_ line: QueuedLine, of origin: LineOrigin) -> RedirectDecision {
        if let decision = longLines.decision(on: line) { return decision }
        let decision = unsafe cache.decide(
            line.text,
            number: Int(line.header.origin),
            stream: line.stream
        ) { origin }
        longLines.note(decision, on: line)
        guard case .log(let level, let category, _, let text) = decision else { return decision }
        // A piece of a line is neither blank nor equal to another, whatever it looks like.
        if line.ending == .length { return .log(level, category: category, text: text) }
        return line.isBlank ? .blank : decision
    }

    /// Counts a line that equals one which was logged; false where it is to be logged itself.
    mutating func absorbs(
        _ text: UnsafeRawBufferPointer,
        _ form: LineForm,
        _ facts: LineFacts,
        within interval: UInt64
    ) -> Bool {
        unsafe repeats.absorb(text, form, facts, within: interval, telling: receiver)
    }

    /// When equal lines are to be told, by the monotonic clock; nil for never.
    var due: UInt64? { repeats.due }

    /// Tells of the equal lines that were counted what is due, or all.
    mutating func tellRepeats(all: Bool) {
        repeats.tell(all: all, to: receiver)
    }
}
