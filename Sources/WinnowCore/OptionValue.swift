// SPDX-License-Identifier: Apache-2.0

/// The value of an option in an entry of `WINNOW_SINKS`.
package struct OptionValue {
    /// The name of the option in lower case.
    package let option: String
    /// The value as it is written.
    package let text: Substring
    /// The entry.
    package let entry: Substring

    package init(_ text: Substring, of option: String, in entry: Substring) {
        self.text = text
        self.option = option
        self.entry = entry
    }

    /// Returns what the value stands for.
    ///
    /// - Parameters:
    ///   - words: The words among which it is, for the suggestion.
    ///   - allowed: What it may be, where these words do not say it.
    ///   - parse: Returns what a word stands for; nil where that is nothing.
    /// - Returns: What it stands for.
    /// - Throws: The problem of a value that stands for nothing.
    package func parsed<Value>(
        among words: [String] = [],
        allowed: String? = nil,
        by parse: (Substring) -> Value?
    ) throws(FilterProblem) -> Value {
        if let value = parse(text) { return value }
        let suggestion = Suggestion.nearest(to: text, among: words)
        let choices = suggestion == nil ? allowed ?? Suggestion.choices(among: words) : nil
        throw FilterProblem(
            entry: entry,
            reason: "invalid value \(quoted(text)) of option \(quoted(option))"
                + (choices.map { " (\($0))" } ?? ""),
            at: text,
            suggestion: suggestion
        )
    }

    /// Returns the value as a path, whose escapes are decoded.
    package func path() throws(FilterProblem) -> String {
        try PercentEscapes.decoded(text, as: "a path", in: entry)
    }
}
