// SPDX-License-Identifier: Apache-2.0

package import WinnowCore

/// The words of `WINNOW_REDIRECT` for an action. Case does not matter.
extension RedirectAction {
    private static let parseWord = "parse"
    private static let collapseWord = "collapse"
    private static let collapseSeconds = 1...86_400
    /// The level of lines that carry none: the least severe that is let through unless told otherwise.
    private static let unparsedLevel = Level.notice

    /// The words, what is best to suggest first.
    private static let words = ["drop", "pass", parseWord] + Level.words

    /// What others call an action.
    private static let foreign = [
        "off": "drop", "none": "drop", "silent": "drop", "discard": "drop", "ignore": "drop",
        "on": "pass", "keep": "pass", "print": "pass",
    ]

    /// Creates the action of a word: `drop`, `pass`, `parse`, `parse:info`, or a level; those that log
    /// with `?collapse=30s` behind them as well.
    package init(parsing word: Substring, in entry: Substring) throws(FilterProblem) {
        guard let (action, option) = word.halves(separatedBy: "?") else {
            self = try RedirectAction(parsing: word, collapsing: nil, in: entry)
            return
        }
        let interval = try RedirectAction.interval(option, in: entry)
        self = try RedirectAction(parsing: action, collapsing: interval, in: entry)
        guard self == .drop || self == .pass else { return }
        let reason = "option \(quoted(option)) is for lines that are logged"
        throw FilterProblem(entry: entry, reason: reason, at: option)
    }

    private init(
        parsing word: Substring,
        collapsing interval: Duration?,
        in entry: Substring
    ) throws(FilterProblem) {
        guard !word.isEmpty else {
            throw FilterProblem(entry: entry, reason: "an action is missing", at: word)
        }
        switch word.lowercased() {
        case "drop":
            self = .drop
        case "pass":
            self = .pass
        case RedirectAction.parseWord:
            self = .logParsed(otherwise: RedirectAction.unparsedLevel, collapsing: interval)
        case let name:
            if let level = Level(parsing: name) {
                self = .log(level, collapsing: interval)
            } else if let (parse, level) = word.halves(separatedBy: ":"),
                parse.lowercased() == RedirectAction.parseWord
            {
                let level = try RedirectAction.level(level, in: entry)
                self = .logParsed(otherwise: level, collapsing: interval)
            } else {
                throw RedirectAction.noAction(word, in: entry)
            }
        }
    }

    /// Returns for how long equal lines count as one: `collapse=30s`.
    private static func interval(
        _ option: Substring,
        in entry: Substring
    ) throws(FilterProblem) -> Duration {
        let (name, value) = option.halves(separatedBy: "=") ?? (option, option[option.endIndex...])
        guard name.lowercased() == collapseWord else {
            let suggestion = Suggestion.nearest(to: name, among: [collapseWord])
            let choices = suggestion == nil ? " (\(collapseWord)=30s)" : ""
            let reason = "unknown option \(quoted(name))\(choices)"
            throw FilterProblem(entry: entry, reason: reason, at: name, suggestion: suggestion)
        }
        guard let seconds = value.number(in: ["s": 1, "m": 60, "h": 3_600]),
            collapseSeconds.contains(seconds)
        else {
            let reason =
                "\(collapseWord) is a time, as 30s: a whole number of s, m or h, 24h at most"
            throw FilterProblem(entry: entry, reason: reason, at: value)
        }
        return .seconds(seconds)
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
