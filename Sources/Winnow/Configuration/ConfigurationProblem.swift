// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

extension Winnow {
    /// A part of the configuration that is invalid, or cannot be applied.
    ///
    /// A problem in the environment never makes a program fail: it is reported, and the rest applies.
    ///
    /// A value: MT-Safe, AS-Unsafe heap.
    public struct ConfigurationProblem: Sendable, Hashable {
        /// Where the problem is: the variable, or the property of the configuration.
        public let source: String
        /// The part of its value that is wrong; nil if the source itself is wrong.
        public let entry: String?
        /// What is wrong with it: `unknown level 'debgu'`.
        public let reason: String
        /// Where in the whole value the problem is: the number of its first character, from 1.
        public let position: Int?
        /// What may have been meant.
        public let suggestion: String?

        /// Creates a problem that has no place in a text.
        package init(
            _ source: String,
            entry: String? = nil,
            reason: String,
            suggestion: String? = nil
        ) {
            self.source = source
            self.entry = entry
            self.reason = reason
            self.position = nil
            self.suggestion = suggestion
        }

        /// Creates the problem of a text, which is the value of the source.
        package init(_ source: String, _ problem: FilterProblem) {
            self.source = source
            entry = problem.entry
            reason = problem.reason
            position = problem.position
            suggestion = problem.suggestion
        }
    }

    /// The error that ``Winnow`` throws at its start if the configuration in code is wrong.
    ///
    /// A value: MT-Safe, AS-Unsafe heap.
    public struct ConfigurationError: Error, Sendable, Hashable {
        /// The problems, at least one.
        public let problems: [ConfigurationProblem]

        package init(_ problems: [ConfigurationProblem]) {
            self.problems = problems
        }
    }
}

extension Winnow.ConfigurationProblem: CustomStringConvertible {
    /// The problem as a user reads it.
    ///
    /// For example `WINNOW_LOG: 'net=debgu': unknown level 'debgu' at character 5; did you mean 'debug'?`
    public var description: String {
        let place = entry.map { " \(quoted($0)):" } ?? ""
        let position = position.map { " at character \($0)" } ?? ""
        let end = suggestion.map { "; did you mean \(quoted($0))?" } ?? ""
        return "\(source):\(place) \(reason)\(position)\(end)"
    }
}

extension Winnow.ConfigurationError: CustomStringConvertible {
    /// The problems, one per line.
    public var description: String {
        problems.map(\.description).joined(separator: "\n")
    }
}
