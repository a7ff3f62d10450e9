// SPDX-License-Identifier: Apache-2.0

/// What came out of the checks of a sink or a formatter.
///
/// A value: MT-Safe, AS-Unsafe heap.
public struct ConformanceReport: Sendable {
    /// What came out of one check.
    public enum Outcome: Sendable, Hashable {
        /// The law holds in all that was tried.
        case passed
        /// The law does not hold; what was seen, a sentence each.
        case failed([String])
        /// It was not checked, and why.
        case skipped(String)
    }

    /// One law, and what came out.
    public struct Result: Sendable, Hashable {
        /// The law.
        public let law: ConformanceLaw
        /// What came out.
        public let outcome: Outcome
    }

    /// The results, in the order of the checks.
    public let results: [Result]

    /// The laws that hold.
    public var passed: [ConformanceLaw] {
        results.filter { $0.outcome == .passed }.map(\.law)
    }

    /// The laws that do not hold.
    public var failed: [ConformanceLaw] {
        results.filter { if case .failed = $0.outcome { true } else { false } }.map(\.law)
    }

    /// The laws that were not checked.
    public var skipped: [ConformanceLaw] {
        results.filter { if case .skipped = $0.outcome { true } else { false } }.map(\.law)
    }

    /// Requires that all laws hold, and were checked but for those that are named.
    ///
    /// What is not checked has to be named, so that nobody takes a check that never ran for one that
    /// passed.
    ///
    /// - Parameter unchecked: The laws that need not be checked; they must hold where they are.
    /// - Throws: The whole report.
    public func verify(unchecked: Set<ConformanceLaw> = []) throws(ConformanceError) {
        let isWhole = skipped.allSatisfy(unchecked.contains)
        guard failed.isEmpty, isWhole else { throw ConformanceError(report: self) }
    }
}

extension ConformanceReport: CustomStringConvertible {
    /// The report, one line a law, with what was seen below it.
    public var description: String {
        let heading =
            "\(passed.count) laws hold, \(failed.count) do not, \(skipped.count) were not checked"
        return ([heading] + results.flatMap(Self.lines)).joined(separator: "\n")
    }

    private static func lines(of result: Result) -> [String] {
        switch result.outcome {
        case .passed: ["holds    \(result.law)"]
        case .failed(let seen): ["FAILED   \(result.law)"] + seen.map { "         \($0)" }
        case .skipped(let why): ["SKIPPED  \(result.law)", "         \(why)"]
        }
    }
}

/// A sink or a formatter that breaks its laws, or whose laws were not all checked.
///
/// A value: MT-Safe, AS-Unsafe heap.
public struct ConformanceError: Error, Sendable, CustomStringConvertible {
    /// What came out of all checks.
    public let report: ConformanceReport

    /// The report.
    public var description: String { report.description }
}
