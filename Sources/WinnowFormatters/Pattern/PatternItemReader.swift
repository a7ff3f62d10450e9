// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// Reads what stands between two braces of a pattern: `[category:<12] `.
///
/// That is a name with options, each after a colon. Punctuation and blanks before and behind them
/// belong to the value; a colon behind them is doubled.
struct PatternItemReader: ~Copyable {
    /// The name and the options.
    private(set) var item = PatternItem()
    private(set) var before: Substring
    private(set) var after: Substring
    /// The name of a field; empty where the name is not ``PatternName/field``.
    private(set) var fieldName: Substring

    private var rest: Substring
    /// Where the width stands; nil for none.
    private var width: Substring?
    private var hasForm = false

    /// Reads the text between the braces.
    ///
    /// - Parameters:
    ///   - body: The text.
    ///   - opening: The pattern from the opening brace on.
    /// - Throws: What is wrong with it first.
    init(_ body: Substring, opening: Substring) throws(PatternError) {
        rest = body
        before = rest.takeUntilWord()
        after = rest[rest.endIndex...]
        fieldName = after
        let word = rest.takeWord()
        guard !word.isEmpty else { throw PatternError("a name is missing", at: opening) }
        guard let name = PatternName(rawValue: word.lowercased()) else {
            let suggestion = PatternName.suggestion(for: word)
            throw PatternError("unknown name \(quoted(word))", at: word, suggestion: suggestion)
        }
        item.name = name
        try readOptions(of: name, word)
        after = rest.takeUntilWord()
        if !rest.isEmpty {
            let extra = rest.takeWord()
            let reason = "behind \(quoted(word)) only ':' and an option, or punctuation"
            throw PatternError("\(reason), not \(quoted(extra))", at: extra)
        }
    }

    private mutating func readOptions(
        of name: PatternName,
        _ word: Substring
    ) throws(PatternError) {
        if name == .field {
            if hasOption { _ = rest.take(1) }
            fieldName = rest.takeWord()
            if fieldName.isEmpty {
                throw PatternError("the name of a field is missing, as in '{field:port}'", at: word)
            }
        }
        while hasOption {
            let colon = rest
            _ = rest.take(1)
            let option = rest.takeOption()
            if option.isEmpty {
                throw PatternError("no option behind ':', which is written '::'", at: colon)
            }
            try apply(option, of: name)
        }
        if let width, item.isQuoted, item.width.most < PatternWidth.leastOfQuotes {
            throw PatternError(
                "a quoted value is cut to at least '.3', not \(quoted(width))",
                at: width
            )
        }
        if let width, item.escaping == .json, item.width.most < .max {
            throw PatternError(
                "a JSON value is not cut, as it would be none, but by \(quoted(width))",
                at: width
            )
        }
        // What is left is doubled.
        if rest.utf8.first == UInt8(ascii: ":") { _ = rest.take(1) }
    }

    /// Whether a single colon is next.
    private var hasOption: Bool {
        rest.utf8.first == UInt8(ascii: ":") && rest.utf8.dropFirst().first != UInt8(ascii: ":")
    }

    private mutating func apply(
        _ option: Substring,
        of name: PatternName
    ) throws(PatternError) {
        if let first = option.unicodeScalars.first, "<>.".unicodeScalars.contains(first) {
            guard let width = PatternWidth(parsing: option) else {
                let forms = "'<9', '>9', '.9' or '<9.9', from 1 to \(PatternWidth.greatest)"
                throw PatternError("invalid width \(quoted(option)) (\(forms))", at: option)
            }
            if self.width != nil { throw PatternError("a second width", at: option) }
            self.width = option
            item.width = width
            return
        }
        try set(option, of: name)
        if hasForm { throw PatternError("a second option of \(quoted(name.rawValue))", at: option) }
        hasForm = true
    }

    /// Sets an option that is a word.
    private mutating func set(_ option: Substring, of name: PatternName) throws(PatternError) {
        let word = option.lowercased()
        if name == .time {
            item.time = try time(option)
        } else if name == .level, word != "name", let level = PatternLevel(rawValue: word) {
            item.level = level
        } else if name.options.contains(word) {
            item.hasAllFields = name == .fields
            item.escaping = word == "quoted" ? .quotes : word == "json" ? .json : .line
        } else {
            let nearest = Suggestion.nearest(to: option, among: name.options)
            throw PatternError(
                "unknown option \(quoted(option)) of \(quoted(name.rawValue))",
                at: option,
                // A number can only be meant for a width.
                suggestion: PatternWidth(parsing: "<\(option)") == nil ? nearest : "<\(option)"
            )
        }
    }

    /// Returns the form of a time, and behind a point the digits of the second's fraction.
    private func time(_ option: Substring) throws(PatternError) -> PatternTime {
        let (word, digits) = option.halves(separatedBy: ".") ?? (option, nil)
        guard let form = PatternTime.Form(parsing: word) else {
            let suggestion = Suggestion.nearest(to: word, among: PatternTime.Form.names)
            throw PatternError(
                "unknown time format \(quoted(word))",
                at: word,
                suggestion: suggestion
            )
        }
        guard let digits else { return PatternTime(form: form, digits: form.defaultDigits) }
        guard digits.utf8.count == 1, let number = Int(digits: digits) else {
            throw PatternError("invalid number of digits \(quoted(digits)) (0 to 9)", at: digits)
        }
        return PatternTime(form: form, digits: number)
    }
}

extension Substring {
    /// Removes the word at the beginning: letters, digits and `_`, and `-` and `.` between them.
    fileprivate mutating func takeWord() -> Substring {
        let scalars = unicodeScalars
        var end = startIndex
        while end < endIndex {
            let next = scalars.index(after: end)
            let isJoint = scalars[end] == "-" || scalars[end] == "."
            let joins = isJoint && end > startIndex && next < endIndex && scalars[next].isOfWord
            guard scalars[end].isOfWord || joins else { break }
            end = next
        }
        defer { self = self[end...] }
        return self[..<end]
    }

    /// Removes what precedes the first word.
    fileprivate mutating func takeUntilWord() -> Substring {
        let end = unicodeScalars.firstIndex { $0.isOfWord } ?? endIndex
        defer { self = self[end...] }
        return self[..<end]
    }

    /// Removes a word, and the signs of a width before it.
    fileprivate mutating func takeOption() -> Substring {
        let whole = self
        let signs = unicodeScalars.prefix { "<>^.".unicodeScalars.contains($0) }
        _ = take(signs.reduce(0) { count, _ in count + 1 })
        _ = takeWord()
        return whole[..<startIndex]
    }
}

extension Unicode.Scalar {
    /// Whether the character belongs to words: a letter of any script, a digit or `_`.
    fileprivate var isOfWord: Bool {
        switch self {
        case "a"..."z", "A"..."Z", "0"..."9", "_": true
        default: !isASCII && properties.isAlphabetic
        }
    }
}
