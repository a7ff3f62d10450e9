// SPDX-License-Identifier: Apache-2.0

package import WinnowCore

/// What becomes of one line.
package enum RedirectDecision: Sendable, Hashable {
    case drop
    case pass
    /// The line would be logged, and nothing is in it.
    case blank
    /// The line is logged: the bytes of the range, in a category or in that of the origin. Equal ones
    /// count as one for so many nanoseconds.
    case log(Level, category: String?, collapsing: UInt64 = 0, text: Range<Int>)
}

/// The rules that can apply to the lines of one origin on one stream.
///
/// A class, as a copy of it for each line would cost more than a decision.
package final class RuleSelection: Sendable {
    /// What the lines of an origin and stream need.
    @frozen
    package enum Verdict: Sendable, Hashable {
        /// All are discarded.
        case drop
        /// All are printed as if nothing had been captured.
        case pass
        /// The text of each must be looked at, or logged.
        case text
    }

    /// A rule that looks at the text.
    struct Step: Sendable {
        let tests: [TextTest]
        let action: RedirectAction

        @inline(__always)
        func holds(for text: Span<UInt8>) -> Bool {
            for index in tests.indices where !tests[index].holds(for: text) {
                return false
            }
            return true
        }
    }

    /// What the lines need.
    package let verdict: Verdict
    private let steps: [Step]
    private let otherwise: RedirectAction
    private let nsLogLevel: Level

    init(_ steps: [Step], otherwise: RedirectAction, nsLogLevel: Level) {
        // Rules with one and the same action at the end need not be asked.
        let asked = steps.reversed().drop { $0.action == otherwise }
        self.steps = asked.reversed()
        self.otherwise = otherwise
        self.nsLogLevel = nsLogLevel
        verdict =
            switch otherwise.kind {
            case .drop where asked.isEmpty: .drop
            case .pass where asked.isEmpty: .pass
            default: .text
            }
    }

    /// Decides on a line, with or without its line break; never traps, whatever the bytes are.
    ///
    /// Calls regular expressions of the rules, and nothing else that is not Winnow's.
    package func decide(_ line: UnsafeRawBufferPointer) -> RedirectDecision {
        unsafe line.withMemoryRebound(to: UInt8.self) { bytes in
            // SAFETY: the span ends with the closure, and the caller's memory lives longer.
            decide(unsafe bytes.span)
        }
    }

    /// Decides on a line, with or without its line break; never traps, whatever the bytes are.
    package func decide(_ line: Span<UInt8>) -> RedirectDecision {
        let printed = PrintedLine(line)
        let text = line.extracting(printed.text)
        // By index, as the elements would be retained for the loop.
        for index in steps.indices where steps[index].holds(for: text) {
            return decision(steps[index].action, on: printed, in: text)
        }
        return decision(otherwise, on: printed, in: text)
    }

    private func decision(
        _ action: RedirectAction,
        on line: PrintedLine,
        in text: Span<UInt8>
    ) -> RedirectDecision {
        func log(_ level: Level, _ category: String?, _ text: Range<Int>) -> RedirectDecision {
            .log(level, category: category, collapsing: action.collapsing, text: text)
        }
        switch action.kind {
        case .drop:
            return .drop
        case .pass:
            return .pass
        case .log(let level, let category):
            return log(level, category, line.text)
        case .logParsed(let otherwise, let category):
            guard let mark = LevelMark(in: text) else {
                return log(line.isNSLog ? nsLogLevel : otherwise, category, line.text)
            }
            let rest = line.text.lowerBound + mark.end..<line.text.upperBound
            return log(mark.level, category, rest)
        }
    }
}
