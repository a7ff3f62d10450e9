// SPDX-License-Identifier: Apache-2.0

/// An invalid part of a filter.
///
/// The rest of the filter applies.
///
/// A value: MT-Safe, AS-Unsafe heap.
public struct FilterProblem: Error, Sendable, Hashable {
    /// The entry of the filter, without the blanks around it.
    public let entry: String
    /// What is wrong with it: `unknown level 'debgu'`.
    public let reason: String
    /// Where in the whole text the problem is: the number of its first character, from 1.
    public let position: Int
    /// What may have been meant.
    public let suggestion: String?

    /// Creates a problem from two parts of one text.
    ///
    /// - Parameters:
    ///   - entry: The entry of the text.
    ///   - reason: What is wrong.
    ///   - place: The part of the text that is wrong.
    ///   - suggestion: What may have been meant.
    package init(
        entry: Substring,
        reason: String,
        at place: Substring,
        suggestion: String? = nil
    ) {
        self.entry = String(entry)
        self.reason = reason
        self.position = place.position
        self.suggestion = suggestion
    }

    /// Creates a copy with another suggestion.
    private init(_ problem: FilterProblem, suggestion: String) {
        entry = problem.entry
        reason = problem.reason
        position = problem.position
        self.suggestion = suggestion
    }

    /// Returns the problem with a suggestion.
    func suggesting(_ suggestion: String) -> FilterProblem {
        FilterProblem(self, suggestion: suggestion)
    }
}

extension FilterProblem: CustomStringConvertible {
    /// The problem as a user reads it.
    ///
    /// For example `'net=debgu': unknown level 'debgu' at character 5; did you mean 'debug'?`
    public var description: String {
        let end = suggestion.map { "; did you mean \(quoted($0))?" } ?? ""
        return "\(quoted(entry)): \(reason) at character \(position)\(end)"
    }
}
