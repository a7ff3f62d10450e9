// SPDX-License-Identifier: Apache-2.0

package import WinnowCore

/// Reads rules as `WINNOW_REDIRECT` spells them: `stdout=info,NoisyNet=drop,/^DEBUG/=debug`.
///
/// Of several entries that a line meets the most specific applies, see ``RedirectKey/rank``, and of
/// those of one class the first. Blanks around keys and actions do not matter.
package struct RedirectListParser {
    package private(set) var problems: [FilterProblem] = []
    private var entries: [(key: RedirectKey, rule: RedirectRule)] = []
    private var keys: [RedirectKey] = []
    private var otherwise: RedirectAction?
    private var isOff = false

    package init() {}

    /// What the entries ask for; nil where none of them applies.
    package var settings: RedirectSettings? {
        guard !keys.isEmpty || isOff else { return nil }
        var settings = RedirectSettings()
        for rank in 0...RedirectKey.any.rank {
            settings.rules += entries.filter { $0.key.rank == rank }.map(\.rule)
        }
        settings.otherwise = otherwise
        for case .descriptor(let stream) in keys {
            settings.descriptors.formUnion(stream.map { [$0] } ?? PrintedStream.allCases)
        }
        return settings
    }

    /// Reads all entries of a value.
    package mutating func read(_ text: String) {
        if text[...].trimmed.asksForNothing {
            isOff = true
            return
        }
        for entry in RedirectListParser.entries(of: text) where !entry.isEmpty {
            do {
                try read(entry: entry)
            } catch {
                problems.append(error)
            }
        }
    }

    private mutating func read(entry: Substring) throws(FilterProblem) {
        try entry.checkText()
        let (key, word) = try RedirectListParser.halves(of: entry)
        let action = try RedirectAction(parsing: word, in: entry)
        guard !keys.contains(key) else {
            throw FilterProblem(
                entry: entry,
                reason: "an entry for the same lines comes before, and applies",
                at: entry
            )
        }
        if let rule = try key.rule(action, in: entry) {
            entries.append((key, rule))
        } else {
            otherwise = action
        }
        keys.append(key)
    }

    /// Returns the parts between the commas that are in no expression and in no text, trimmed.
    private static func entries(of text: String) -> [Substring] {
        var entries: [Substring] = []
        var rest = text[...]
        while true {
            let entry = rest.trimmed
            let behind = quotation(in: entry).map { rest[$0.end...] } ?? rest
            guard let comma = behind.utf8.firstIndex(of: UInt8(ascii: ",")) else {
                return entries + [entry]
            }
            entries.append(rest[..<comma].trimmed)
            rest = rest[rest.utf8.index(after: comma)...]
        }
    }

    /// Returns what an entry begins with in slashes or quotation marks, and the place behind them;
    /// nil where it does not, or they have no end.
    private static func quotation(
        in entry: Substring
    ) -> (content: Substring, end: Substring.Index)? {
        guard let mark = entry.utf8.first,
            mark == UInt8(ascii: "/") || mark == UInt8(ascii: "\"")
        else { return nil }
        let start = entry.utf8.index(after: entry.startIndex)
        var place = start
        while place < entry.endIndex {
            let byte = entry.utf8[place]
            let next = entry.utf8.index(after: place)
            if byte == mark { return (entry[start..<place], next) }
            let isEscape = byte == UInt8(ascii: "\\") && next < entry.endIndex
            place = isEscape ? entry.utf8.index(after: next) : next
        }
        return nil
    }

    /// Returns the key of an entry and the word of its action.
    private static func halves(
        of entry: Substring
    ) throws(FilterProblem) -> (RedirectKey, Substring) {
        if entry.utf8.first == UInt8(ascii: "/") || entry.utf8.first == UInt8(ascii: "\"") {
            return try quotedHalves(of: entry)
        }
        guard let (word, action) = entry.halves(separatedBy: "=") else {
            throw withoutAction(entry)
        }
        return (try RedirectKey(word, in: entry), action)
    }

    private static func quotedHalves(
        of entry: Substring
    ) throws(FilterProblem) -> (RedirectKey, Substring) {
        let isExpression = entry.utf8.first == UInt8(ascii: "/")
        guard let (content, end) = quotation(in: entry) else {
            let reason = isExpression ? "a '/' is missing" : #"a '"' is missing"#
            throw FilterProblem(entry: entry, reason: reason, at: entry[entry.endIndex...])
        }
        let rest = entry[end...].trimmed
        guard rest.utf8.first == UInt8(ascii: "=") else {
            let reason = rest.isEmpty ? "an action is missing" : "a '=' is missing"
            throw FilterProblem(entry: entry, reason: reason, at: rest)
        }
        let action = rest[rest.utf8.index(after: rest.startIndex)...].trimmed
        if isExpression { return (.expression(content), action) }
        guard !content.isEmpty else {
            throw FilterProblem(entry: entry, reason: "a text is missing", at: entry)
        }
        return (.text(unescaped(content)), action)
    }

    /// The text of a quotation: `\"` and `\\` stand for the character behind the backslash.
    private static func unescaped(_ content: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = content.utf8
        while let byte = rest.popFirst() {
            let isEscape = byte == UInt8(ascii: "\\")
            if isEscape, let next = rest.first, #""\"#.utf8.contains(next) {
                bytes.append(next)
                rest.removeFirst()
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The problem of an entry without `=`, which is an action for all, or a key.
    private static func withoutAction(_ entry: Substring) -> FilterProblem {
        if entry.asksForNothing {
            return FilterProblem(entry: entry, reason: "\(quoted(entry)) stands alone", at: entry)
        }
        if (try? RedirectAction(parsing: entry, in: entry)) != nil {
            return FilterProblem(
                entry: entry,
                reason: "a key is missing",
                at: entry,
                suggestion: "*=\(entry)"
            )
        }
        return FilterProblem(
            entry: entry,
            reason: "an action is missing",
            at: entry[entry.endIndex...],
            suggestion: suggestion(for: entry)
        )
    }

    /// What may have been meant by an entry without `=`.
    private static func suggestion(for entry: Substring) -> String? {
        if let (key, action) = entry.halves(separatedBy: ":"), !key.isEmpty,
            (try? RedirectAction(parsing: action, in: entry)) != nil
        {
            return "\(key)=\(action)"
        }
        // Who wants it on has yet to say what is to be done.
        if ["on", "yes", "true", "1", "all"].contains(entry.lowercased()) { return "*=notice" }
        let isName =
            !entry.utf8.contains(UInt8(ascii: " ")) && !entry.utf8.contains(UInt8(ascii: ";"))
        return isName ? "\(entry)=drop" : nil
    }
}
