// SPDX-License-Identifier: Apache-2.0

/// What the tool says of one log.
package struct VerificationReport: Sendable {
    /// The runs, in the order in which they began.
    package let runs: [RunFinding]
    /// What was read.
    package let sources: [SourceFinding]
    /// Whether the log is held to have each run from its beginning to its end.
    package let isComplete: Bool

    /// Draws the conclusions from what was read.
    package init(_ ledger: Ledger, isComplete: Bool = false) {
        runs = ledger.findings(isComplete: isComplete)
        sources = ledger.sources
        self.isComplete = isComplete
    }

    /// Whether no record was lost in silence, up to the last one that the log has.
    package var holds: Bool {
        suppressed == 0 && runs.allSatisfy { $0.levels.allSatisfy(\.holds) }
    }

    /// The messages that journald has not stored: whose they were, nothing tells.
    var suppressed: UInt64 { sources.reduce(0) { $0.adding($1.suppressed) } }

    var levels: [LevelFinding] { runs.flatMap(\.levels) }

    /// The sum of a number over all levels of all runs.
    func sum(_ number: (LevelFinding) -> UInt64) -> UInt64 {
        levels.reduce(0) { $0.adding(number($1)) }
    }
}

extension NumberedRecord.Run {
    /// The identity as the log has it.
    var name: String {
        let digits = String(identity, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
