// SPDX-License-Identifier: Apache-2.0

/// What decides on a record: the filter of the program, what others have set above it, and the levels that some sink
/// takes.
package final class FilterStack: Sendable {
    /// What is decided on a statement.
    package enum Verdict: Sendable {
        case letThrough
        case heldBack
        /// The text of its message decides.
        case byText
    }

    package let own: Filter
    /// What others have set; nil for nothing.
    package let above: Filter?
    /// The levels that some sink takes.
    package let taken: LevelSet

    package init(own: Filter, above: Filter?, taken: LevelSet) {
        self.own = own
        self.above = above
        self.taken = taken
    }

    /// The levels that a category lets through, but for statements that a rule is for.
    package func levels(for category: Span<UInt8>) -> LevelSet {
        let levels = above?.ownLevels(for: category) ?? own.levels(for: category)
        return levels.intersection(taken)
    }

    /// The levels that rules let through for statements of a category; nil where no rule is for any of them.
    package func levelsOfRules(for category: Span<UInt8>) -> LevelSet? {
        var levels: LevelSet?
        for filter in filters(for: category) {
            for rule in filter.rules where rule.concerns(category) {
                levels = (levels ?? []).union(rule.levels.intersection(taken))
            }
        }
        return levels
    }

    /// Decides on a statement.
    ///
    /// - Parameters:
    ///   - level: Its level.
    ///   - category: The name of its category, in UTF-8.
    ///   - file: Its file, with the module: `Net/Client.swift`; empty for what is no statement, which no rule is for.
    ///   - line: Its line.
    ///   - text: The first literal of its message; nil where it is not known yet.
    /// - Returns: What is decided.
    package func verdict(
        on level: Level,
        category: Span<UInt8>,
        file: Span<UInt8>,
        line: UInt32,
        text: Span<UInt8>?
    ) -> Verdict {
        guard taken.contains(level) else { return .heldBack }
        var possible = Possible(level)
        if let above {
            if possible.note(above.rules, category, file, line, text) { return possible.verdict }
            if let levels = above.ownLevels(for: category) {
                possible.note(levels)
                return possible.verdict
            }
        }
        if !possible.note(own.rules, category, file, line, text) {
            possible.note(own.levels(for: category))
        }
        return possible.verdict
    }

    /// The filters that say something of a category: what others have set may say all.
    private func filters(for category: Span<UInt8>) -> [Filter] {
        guard let above else { return [own] }
        return above.ownLevels(for: category) == nil ? [above, own] : [above]
    }
}

/// The decisions that are possible as yet.
private struct Possible {
    private let level: Level
    private var isLetThrough = false
    private var isHeldBack = false

    init(_ level: Level) {
        self.level = level
    }

    mutating func note(_ levels: LevelSet) {
        if levels.contains(level) { isLetThrough = true } else { isHeldBack = true }
    }

    /// Notes what rules say of a statement.
    ///
    /// - Returns: Whether they decide, whatever is below them.
    mutating func note(
        _ rules: [Filter.StatementRule],
        _ category: Span<UInt8>,
        _ file: Span<UInt8>,
        _ line: UInt32,
        _ text: Span<UInt8>?
    ) -> Bool {
        guard !file.isEmpty else { return false }
        for rule in rules.reversed() where rule.matches(category, file, line) {
            if let pattern = rule.text, let text, !pattern.matches(text) { continue }
            note(rule.levels)
            // Where it is for a text that is not known, the rules in front of it may decide.
            if rule.text == nil || text != nil { return true }
        }
        return false
    }

    var verdict: FilterStack.Verdict {
        isLetThrough && isHeldBack ? .byText : isLetThrough ? .letThrough : .heldBack
    }
}
