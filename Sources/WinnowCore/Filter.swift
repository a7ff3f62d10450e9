// SPDX-License-Identifier: Apache-2.0

/// The levels that each category lets through, as a text: `notice,net=debug,db.*=warning`.
///
/// Commas separate the entries; spaces around them and empty entries do not matter:
/// - `notice` and `*=notice` apply to all categories that no other entry matches;
/// - `net=debug` applies to the category `net` and those below it, such as `net.http`, but not to
///   `network`;
/// - `db.*=warning` applies to the categories below `db`, but not to `db` itself.
///
/// In a category, `%3D`, `%2C`, `%20`, `%2A`, `%3B` and `%25` stand for `=`, `,`, a space, `*`, `;` and `%`, and
/// so does every other byte in two hexadecimal digits: `a%2Cb=debug` is for the category `a,b`.
///
/// If several entries match, the most specific one applies; among equal ones, the last. Categories
/// are compared exactly, and case matters.
///
/// The levels of an entry are one level, which stands for itself and all more severe ones; a set,
/// such as `error|debug`, which stands for exactly these; `off` or `none`; or `all`. Levels are
/// spelled as in ``Level/init(parsing:)``.
///
/// If no entry applies to all categories, the others let ``Level/notice`` and more severe levels
/// through, as in the Apple System Log. This also holds in debug builds.
///
/// An entry with `@` is a rule for statements: `@Net*.swift:40-80=debug` is for those in lines 40 to 80 of the files
/// whose names begin with `Net`, `db@Pool.swift=error` for those of the category `db` in one file, and
/// `@*~*timeout*=debug` for those whose first literal has the word. A file with a slash names its module as well:
/// `Net/Client.swift`. In files and texts, `*` stands for any characters, and `?` for one byte. Rules stand
/// above the entries for categories; among rules, the last that matches applies.
///
/// A value: MT-Safe, AS-Unsafe heap.
public struct Filter: Sendable {
    /// The levels that a category lets through unless the filter says otherwise.
    public static let initialLevels = LevelSet.upTo(.notice)

    /// The invalid parts of the text, which do not apply, in their order.
    public let problems: [FilterProblem]

    /// The levels of the categories that no entry of their own matches.
    public var `default`: LevelSet { ownDefault ?? Filter.initialLevels }

    /// The levels that an entry gave to all categories; nil where there is no such entry.
    private let ownDefault: LevelSet?
    /// The most specific first, so that the first that matches applies.
    private let entries: [Entry]
    /// The rules for statements: the last that matches applies.
    package let rules: [StatementRule]

    /// Creates a filter from its text; ``problems`` has the errors.
    public init(_ text: String) {
        var parser = FilterParser()
        for entry in text[...].parts(separatedBy: ",") where !entry.isEmpty {
            parser.read(entry)
        }
        ownDefault = parser.default
        entries = parser.entries.sorted { $0.categories.isMoreSpecific(than: $1.categories) }
        rules = parser.rules
        problems = parser.problems
    }

    private init(default: LevelSet?, like other: Filter) {
        ownDefault = `default`
        (entries, rules, problems) = (other.entries, other.rules, other.problems)
    }

    /// Returns the filter of a text, and the invalid parts of the text.
    public static func parse(_ text: String) -> (filter: Filter, problems: [FilterProblem]) {
        let filter = Filter(text)
        return (filter, filter.problems)
    }

    /// The levels that a category lets through; the empty name is that of the default category.
    public func levels(for category: String) -> LevelSet {
        levels(for: category.utf8.span)
    }

    /// The levels that the category of a name in UTF-8 lets through.
    package func levels(for category: Span<UInt8>) -> LevelSet {
        levels(for: category, otherwise: Filter.initialLevels)
    }

    /// The levels that a category lets through; the others where the filter's text says nothing of it.
    package func levels(for category: Span<UInt8>, otherwise others: LevelSet) -> LevelSet {
        ownLevels(for: category) ?? others
    }

    /// The levels that the filter's text gives a category; nil where it says nothing of it.
    package func ownLevels(for category: Span<UInt8>) -> LevelSet? {
        for entry in entries where entry.categories.matches(category) {
            return entry.levels
        }
        return ownDefault
    }

    /// Whether the filter's text names the levels of categories that it does not name.
    package var hasDefault: Bool { ownDefault != nil }

    /// Returns the entries that are for none of the categories, each with the one of them that may have been
    /// meant.
    package func entriesWithout(
        _ categories: [String]
    ) -> [(entry: String, suggestion: String?)] {
        entries.compactMap { entry in
            let pattern = entry.categories
            guard !categories.contains(where: { pattern.matches($0.utf8.span) }) else { return nil }
            let name = String(decoding: pattern.name, as: UTF8.self)
            return (entry.description, Suggestion.nearest(to: name, among: categories.sorted()))
        }
    }

    /// Whether the filter's text names categories.
    package var namesCategories: Bool { !entries.isEmpty }

    /// Whether nothing of the filter's text applies.
    package var isEmpty: Bool { ownDefault == nil && entries.isEmpty && rules.isEmpty }

    /// The levels that any category lets through.
    package var levelsOfAny: LevelSet {
        levelsOfEntries.union(`default`)
    }

    /// The levels that the filter's text names.
    package var levelsNamed: LevelSet {
        levelsOfEntries.union(ownDefault ?? [])
    }

    private var levelsOfEntries: LevelSet {
        let ofRules = rules.reduce(into: LevelSet()) { $0.formUnion($1.levels) }
        return entries.reduce(into: ofRules) { $0.formUnion($1.levels) }
    }

    /// Returns the filter with another's default, unless it has one of its own.
    package func orDefault(of other: Filter) -> Filter {
        Filter(default: ownDefault ?? other.ownDefault, like: self)
    }
}

extension Filter: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// Creates a filter from a literal, which may have interpolations: `"net=\(level)"`.
    ///
    /// An invalid literal does not trap: starting the log throws its ``problems``.
    public init(stringLiteral text: String) {
        self.init(text)
    }
}

extension Filter: CustomStringConvertible {
    /// The filter as a text that means the same: the default first, then each category in the
    /// order of the names, then the rules for statements.
    public var description: String { text(withDefault: `default`) }

    /// The filter as a text that says no more than its own.
    package var ownText: String { text(withDefault: ownDefault) }

    private func text(withDefault levels: LevelSet?) -> String {
        let text = levels?.description ?? ""
        // Most filters have none: each start of a log makes this text.
        guard !entries.isEmpty || !rules.isEmpty else { return text }
        let all = entries.map(\.description).sorted() + rules.map(\.description)
        return ((text.isEmpty ? [] : [text]) + all).joined(separator: ",")
    }
}

extension Filter {
    /// The levels of one category and of those below it.
    package struct Entry: Sendable, CustomStringConvertible {
        let categories: CategoryPattern
        let levels: LevelSet

        package var description: String { "\(categories)=\(levels)" }
    }
}
