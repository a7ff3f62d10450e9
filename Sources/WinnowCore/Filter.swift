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

    /// Creates a filter from its text; ``problems`` has the errors.
    public init(_ text: String) {
        var parser = FilterParser()
        for entry in text[...].parts(separatedBy: ",") where !entry.isEmpty {
            parser.read(entry)
        }
        self.init(default: parser.default, entries: parser.entries, problems: parser.problems)
    }

    private init(default: LevelSet?, entries: [Entry], problems: [FilterProblem]) {
        ownDefault = `default`
        self.entries = entries.sorted { $0.isMoreSpecific(than: $1) }
        self.problems = problems
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
        for entry in entries where entry.matches(category) {
            return entry.levels
        }
        return ownDefault ?? others
    }

    /// Whether the filter's text names the levels of categories that it does not name.
    package var hasDefault: Bool { ownDefault != nil }

    /// Returns the entries that are for none of the categories, each with the one of them that may have been
    /// meant.
    package func entriesWithout(
        _ categories: [String]
    ) -> [(entry: String, suggestion: String?)] {
        entries.compactMap { entry in
            guard !categories.contains(where: { entry.matches($0.utf8.span) }) else { return nil }
            let name = String(decoding: entry.name, as: UTF8.self)
            return (entry.description, Suggestion.nearest(to: name, among: categories.sorted()))
        }
    }

    /// Whether the filter's text names categories.
    package var namesCategories: Bool { !entries.isEmpty }

    /// Whether nothing of the filter's text applies.
    package var isEmpty: Bool { ownDefault == nil && entries.isEmpty }

    /// The levels that any category lets through.
    package var levelsOfAny: LevelSet {
        entries.reduce(into: `default`) { $0.formUnion($1.levels) }
    }

    /// The levels that the filter's text names.
    package var levelsNamed: LevelSet {
        entries.reduce(into: ownDefault ?? []) { $0.formUnion($1.levels) }
    }

    /// Returns the filter with another's default, unless it has one of its own.
    package func orDefault(of other: Filter) -> Filter {
        Filter(default: ownDefault ?? other.ownDefault, entries: entries, problems: problems)
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
    /// order of the names.
    public var description: String { text(withDefault: `default`) }

    /// The filter as a text that says no more than its own.
    package var ownText: String { text(withDefault: ownDefault) }

    private func text(withDefault levels: LevelSet?) -> String {
        var text = levels?.description ?? ""
        // Most filters have none: each start of a log makes this text.
        guard !entries.isEmpty else { return text }
        for entry in entries.map(\.description).sorted() {
            text += text.isEmpty ? entry : ",\(entry)"
        }
        return text
    }
}

extension Filter {
    /// The levels of one category and of those below it.
    package struct Entry: Sendable, CustomStringConvertible {
        let name: [UInt8]
        /// Whether the entry is only for what is below the category: `db.*`.
        let isOnlyBelow: Bool
        let levels: LevelSet

        package var description: String {
            let special = "=,;* \t"
            let text = PercentEscapes.encoded(name) { special.utf8.contains($0) }
            return "\(text)\(isOnlyBelow ? ".*" : "")=\(levels)"
        }

        /// Whether the entries are for the same categories.
        func isEqual(to other: Entry) -> Bool {
            name == other.name && isOnlyBelow == other.isOnlyBelow
        }

        /// Whether the entry applies where both match: its name has more components, which then
        /// makes it longer, or it is for less.
        func isMoreSpecific(than other: Entry) -> Bool {
            if name.count != other.name.count { return name.count > other.name.count }
            return isOnlyBelow && !other.isOnlyBelow
        }

        func matches(_ category: Span<UInt8>) -> Bool {
            guard category.count >= name.count else { return false }
            for index in name.indices where name[index] != category[index] {
                return false
            }
            guard category.count > name.count else { return !isOnlyBelow }
            return category[name.count] == UInt8(ascii: ".")
        }
    }
}
