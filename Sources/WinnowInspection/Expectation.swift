// SPDX-License-Identifier: Apache-2.0

package import WinnowCore

/// What a program is held to: the least severe level that its statements may have.
package struct Expectation: Sendable, Hashable {
    /// The level; nil for no statement at all.
    package let level: Level?

    /// Creates an expectation.
    package init(_ level: Level?) {
        self.level = level
    }

    /// Creates the expectation of a level's name or number, or of the word `none`.
    package init?(parsing text: String) {
        if text.lowercased() == "none" {
            self.init(nil)
        } else if let level = Level(parsing: text) {
            self.init(level)
        } else {
            return nil
        }
    }

    /// The known word that is nearest to an unknown one.
    package static func suggestion(for text: String) -> String? {
        Suggestion.nearest(to: text, among: Level.words + ["none"])
    }

    /// What a program is, held to the expectation.
    package enum Verdict: Sendable, Hashable {
        /// The program is as expected.
        case holds
        /// So many statements are less severe than expected.
        case fails(Int)
        /// So many statements are of a level that is unknown, and no other one is less severe.
        case unknown(Int)
    }

    /// Holds the statements to the expectation.
    package func verdict(on statements: [Statement]) -> Verdict {
        guard let level else {
            let count = statements.reduce(0) { $0 + $1.count }
            return count == 0 ? .holds : .fails(count)
        }
        // Whatever a statement's level is, none is less severe.
        if level == .debug { return .holds }
        var below = 0
        var unknown = 0
        for statement in statements {
            switch statement.severity.bound {
            case .some(let bound): if bound > level { below += statement.count }
            case nil: unknown += statement.count
            }
        }
        if below > 0 { return .fails(below) }
        return unknown > 0 ? .unknown(unknown) : .holds
    }
}

extension Expectation: CustomStringConvertible {
    package var description: String {
        level.map { "nothing below \($0)" } ?? "no statement"
    }
}
