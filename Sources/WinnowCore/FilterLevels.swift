// SPDX-License-Identifier: Apache-2.0

/// How a filter and a route spell a set of levels.
extension LevelSet {
    /// The words that stand for a set of levels, and for no level.
    package static let setWords: [(name: String, levels: LevelSet)] = [
        ("off", []), ("none", []), ("all", .all),
    ]

    /// Returns the set that a part of an entry spells, or what is wrong with it.
    ///
    /// One level stands for itself and all that are more severe; several, separated by `|`, for
    /// just these; `off` and `none` for no level, `all` for every one.
    ///
    /// - Parameters:
    ///   - word: The spelling, which is a part of the entry.
    ///   - entry: The entry that problems name.
    /// - Returns: The set, or the problem with the first wrong level.
    package static func parse(
        _ word: Substring,
        in entry: Substring
    ) -> Result<LevelSet, FilterProblem> {
        let parts = word.parts(separatedBy: "|")
        if parts.count == 1, let levels = single(word) { return .success(levels) }
        var levels: LevelSet = []
        for part in parts {
            guard parts.count > 1, let level = Level(parsing: part) else {
                return .failure(noLevel(part, alone: parts.count == 1, in: entry))
            }
            levels.insert(LevelSet(level))
        }
        return .success(levels)
    }

    private static func single(_ word: Substring) -> LevelSet? {
        if let level = Level(parsing: word) { return .upTo(level) }
        let name = word.lowercased()
        return setWords.first { $0.name == name }?.levels
    }

    private static func noLevel(
        _ word: Substring,
        alone: Bool,
        in entry: Substring
    ) -> FilterProblem {
        guard !word.isEmpty else {
            return FilterProblem(entry: entry, reason: "a level is missing", at: word)
        }
        guard !word.utf8.contains(UInt8(ascii: ";")) else {
            let reason = "entries are separated by ',' and not by ';'"
            return FilterProblem(entry: entry, reason: reason, at: word)
        }
        return FilterProblem(
            entry: entry,
            reason: "unknown level \(quoted(word))\(word.isMeantAsNumber ? " (0 to 7)" : "")",
            at: word,
            suggestion: Level.suggestion(for: word, among: alone ? setWords.map(\.name) : [])
        )
    }
}
