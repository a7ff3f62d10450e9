// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore
internal import WinnowFormatters

/// The word of the environment for a format: `json`, `pattern:{time} {message}`.
///
/// Case does not matter but in the text of a pattern.
enum FormatWord {
    private static let pattern = "pattern"
    private static let names = ["text", "json", "logfmt", pattern]

    /// Returns the format of a word as the variable for all has it.
    static func format(of word: Substring) throws(FilterProblem) -> Winnow.Format {
        let (name, pattern) = split(word)
        guard let pattern else { return try format(named: name, in: word) }
        return try format(of: String(pattern), in: word) { place(of: $0, in: pattern) }
    }

    /// Returns the format of a sink's option, in which `%` and two hexadecimal digits stand for a
    /// byte.
    static func format(
        ofOption word: Substring,
        in entry: Substring
    ) throws(FilterProblem) -> Winnow.Format {
        let (name, pattern) = split(word)
        guard let pattern else { return try format(named: name, in: entry) }
        let decoded = try PercentEscapes.decoded(pattern, as: "a pattern", in: entry)
        return try format(of: decoded, in: entry) { position in
            PercentEscapes.place(of: position, in: pattern)
        }
    }

    /// The name, and what is behind its colon; nil where there is no colon.
    private static func split(_ word: Substring) -> (name: Substring, pattern: Substring?) {
        guard let halves = word.halves(separatedBy: ":"),
            halves.before.lowercased() == FormatWord.pattern
        else { return (word, nil) }
        return (halves.before, halves.behind)
    }

    private static func format(
        named name: Substring,
        in entry: Substring
    ) throws(FilterProblem) -> Winnow.Format {
        switch name.lowercased() {
        case "text": return .text
        case "json": return .json
        case "logfmt": return .logfmt
        default: break
        }
        // What has a colon can only be meant for a pattern.
        let word = name.halves(separatedBy: ":")?.before
        let nearest = Suggestion.nearest(to: word ?? name, among: word == nil ? names : [pattern])
        let isPattern = nearest == nil && name.utf8.contains(UInt8(ascii: "{"))
        let suggestion = isPattern ? "\(pattern):\(name)" : nearest
        let choices = suggestion == nil ? " (\(names.joined(separator: ", ")))" : ""
        throw FilterProblem(
            entry: entry,
            reason: "unknown format \(quoted(isPattern ? name : word ?? name))\(choices)",
            at: name,
            suggestion: suggestion == pattern ? "\(pattern):" : suggestion
        )
    }

    /// Returns the format of a pattern; says where in the entry it is wrong.
    private static func format(
        of pattern: String,
        in entry: Substring,
        place: (Int) -> Substring
    ) throws(FilterProblem) -> Winnow.Format {
        do {
            return Winnow.Format(.pattern(try .withMessage(pattern)))
        } catch {
            throw FilterProblem(
                entry: entry,
                reason: error.reason,
                at: place(error.position),
                suggestion: error.suggestion
            )
        }
    }

    /// The part of a text from its character of the number on, from 1.
    private static func place(of position: Int, in text: Substring) -> Substring {
        Substring(text.unicodeScalars.dropFirst(position - 1))
    }
}

extension Winnow.Configuration {
    /// What is wrong with the patterns of the code.
    var formatProblems: [Winnow.ConfigurationProblem] {
        let problems = format?.problem(of: "format").map { [$0] } ?? []
        return problems + routes.compactMap { $0.format?.problem(of: "routes") }
    }
}

extension Winnow.Format {
    /// What is wrong with the pattern; nil for any other format.
    fileprivate func problem(of source: String) -> Winnow.ConfigurationProblem? {
        guard case .wrong(let error) = kind else { return nil }
        let pattern = error.pattern[...]
        let place = Substring(pattern.unicodeScalars.dropFirst(error.position - 1))
        return Winnow.ConfigurationProblem(
            source,
            FilterProblem(
                entry: pattern,
                reason: error.reason,
                at: place,
                suggestion: error.suggestion
            )
        )
    }
}
