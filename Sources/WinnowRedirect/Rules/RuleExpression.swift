// SPDX-License-Identifier: Apache-2.0

/// A regular expression of a rule, with the text that a line must hold to be looked at.
///
/// SAFETY: A regular expression is not Sendable, as the closures within it (a `TryCapture`, a parser
/// of one's own) need not be. It came here as `sending`, so that nothing else of the program has
/// it, and only the one thread that judges lines calls it.
final class RuleExpression: @unchecked Sendable {
    /// The bytes that a line must hold; nil where each line is looked at.
    let requirement: [UInt8]?
    private let matches: (Substring) -> Bool

    init<Output>(_ regex: sending Regex<Output>, requiring requirement: [UInt8]?) {
        self.requirement = requirement
        matches = { text in
            // A closure within the expression may throw: it does not match then.
            (try? regex.firstMatch(in: text)) != nil
        }
    }

    /// Whether the line holds what is required and a part that the expression matches.
    ///
    /// Bytes that are not UTF-8 are U+FFFD for the expression.
    func matches(_ line: Span<UInt8>) -> Bool {
        if let requirement, !line.contains(requirement) { return false }
        let text = unsafe line.withUnsafeBufferPointer { bytes in
            // SAFETY: the text is a copy.
            unsafe String(decoding: bytes, as: UTF8.self)
        }
        return matches(text[...])
    }
}
