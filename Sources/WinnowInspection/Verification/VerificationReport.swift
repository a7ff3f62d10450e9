// SPDX-License-Identifier: Apache-2.0

/// What the tool says of one log.
package struct VerificationReport: Sendable {
    /// The runs, in the order in which they began.
    package let runs: [RunFinding]
    /// The lines or entries of which nothing can be verified.
    package let unnumbered: Int
    package let foreign: Int
    package let torn: Int
    /// Whether the log is held to begin with each run.
    package let isComplete: Bool

    /// Draws the conclusions from what was read.
    package init(_ ledger: Ledger, isComplete: Bool = false) {
        runs = ledger.findings(isComplete: isComplete)
        unnumbered = ledger.unnumbered
        foreign = ledger.foreign
        torn = ledger.torn
        self.isComplete = isComplete
    }

    /// Whether no record was lost in silence.
    package var holds: Bool { runs.allSatisfy { $0.levels.allSatisfy(\.holds) } }

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
