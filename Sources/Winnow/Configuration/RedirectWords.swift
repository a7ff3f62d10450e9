// SPDX-License-Identifier: Apache-2.0

package import WinnowCore
package import WinnowRedirect

/// The words of `WINNOW_REDIRECT` for an action. Case does not matter.
extension RedirectAction {
    private static let parseWord = "parse"
    /// The level of lines that carry none: the least severe that is let through unless told otherwise.
    private static let unparsedLevel = Level.notice

    /// The words, what is best to suggest first.
    private static let words = ["drop", "pass", parseWord] + Level.words

    /// What others call an action.
    private static let foreign = [
        "off": "drop", "none": "drop", "silent": "drop", "discard": "drop", "ignore": "drop",
        "on": "pass", "keep": "pass", "print": "pass",
    ]

    /// Creates the action of a word: `drop`, `pass`, `parse`, `parse:info`, or a level.
    package init(parsing word: Substring, in entry: Substring) throws(FilterProblem) {
        guard !word.isEmpty else {
            throw FilterProblem(entry: entry, reason: "an action is missing", at: word)
        }
        switch word.lowercased() {
        case "drop":
            self = .drop
        case "pass":
            self = .pass
        case RedirectAction.parseWord:
            self = .logParsed(otherwise: RedirectAction.unparsedLevel)
        case let name:
            if let level = Level(parsing: name) {
                self = .log(level)
            } else if let (parse, level) = word.halves(separatedBy: ":"),
                parse.lowercased() == RedirectAction.parseWord
            {
                self = .logParsed(otherwise: try RedirectAction.level(level, in: entry))
            } else {
                throw RedirectAction.noAction(word, in: entry)
            }
        }
    }

    private static func level(
        _ word: Substring,
        in entry: Substring
    ) throws(FilterProblem) -> Level {
        if let level = Level(parsing: word) { return level }
        let suggestion = Suggestion.nearest(to: word, among: Level.words)
        let choices = suggestion == nil ? " (\(Level.choices))" : ""
        throw FilterProblem(
            entry: entry,
            reason: word.isEmpty
                ? "a level is missing" : "unknown level \(quoted(word))\(choices)",
            at: word,
            suggestion: suggestion
        )
    }

    private static func noAction(_ word: Substring, in entry: Substring) -> FilterProblem {
        guard !word.utf8.contains(UInt8(ascii: ";")) else {
            let reason = "entries are separated by ',' and not by ';'"
            return FilterProblem(entry: entry, reason: reason, at: word)
        }
        let suggestion = foreign[word.lowercased()] ?? Suggestion.nearest(to: word, among: words)
        let choices = suggestion == nil ? " (drop, pass, parse, or a level as notice)" : ""
        return FilterProblem(
            entry: entry,
            reason: "unknown action \(quoted(word))\(choices)",
            at: word,
            suggestion: suggestion
        )
    }
}
