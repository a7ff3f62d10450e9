// SPDX-License-Identifier: Apache-2.0

/// The rules of a redirect as one thread applies them: what can apply to an origin is selected once.
package struct RuleCache: ~Copyable {
    /// The origins that are remembered at most; a line of another costs the selection.
    package static let originLimit = 4_096

    private let rules: RuleSet
    /// The selections, by the number of the origin and the stream.
    private var selections: [RuleSelection?] = []

    package init(_ rules: RuleSet) {
        self.rules = rules
    }

    /// Decides on a line, with or without its line break; see ``RuleSelection``.
    ///
    /// - Parameters:
    ///   - line: The bytes of the line.
    ///   - number: The number of its origin, which always stands for the same one.
    ///   - stream: Where it was printed.
    ///   - origin: Returns the origin; called once for a number and stream.
    /// - Returns: What becomes of the line.
    package mutating func decide(
        _ line: UnsafeRawBufferPointer,
        number: Int,
        stream: PrintedStream,
        origin: () -> LineOrigin
    ) -> RedirectDecision {
        guard 0..<RuleCache.originLimit ~= number else {
            return unsafe rules.selection(origin: origin(), stream: stream).decide(line)
        }
        let index = number * 2 + (stream == .stdout ? 0 : 1)
        if index < selections.count, let selection = selections[index] {
            return unsafe selection.decide(line)
        }
        let selection = rules.selection(origin: origin(), stream: stream)
        while selections.count <= index { selections.append(nil) }
        selections[index] = selection
        return unsafe selection.decide(line)
    }
}
