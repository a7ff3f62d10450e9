// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// What is wrong with a pattern: the first thing, where there are more.
///
/// A value: MT-Safe, AS-Unsafe heap.
public struct PatternError: Error, Sendable, Hashable {
    /// The pattern.
    public let pattern: String
    /// What is wrong with it: `unknown name 'tiem'`.
    public let reason: String
    /// Where in the pattern it is: the number of its first character, from 1.
    ///
    /// Characters are Unicode scalars. What is missing at the end is said of the last one.
    public let position: Int
    /// What may have been meant.
    public let suggestion: String?

    /// Creates an error about a part of a pattern.
    init(_ reason: String, at place: Substring, suggestion: String? = nil) {
        pattern = place.base
        self.reason = reason
        position = place.position
        self.suggestion = suggestion
    }
}

extension PatternError: CustomStringConvertible {
    /// The error as a user reads it.
    ///
    /// For example `'{tiem} {message}': unknown name 'tiem' at character 2; did you mean 'time'?`
    public var description: String {
        let end = suggestion.map { "; did you mean \(quoted($0))?" } ?? ""
        return "\(quoted(pattern)): \(reason) at character \(position)\(end)"
    }
}
