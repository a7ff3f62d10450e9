// SPDX-License-Identifier: Apache-2.0

/// Reads the entries of a filter one after another.
struct FilterParser {
    private(set) var `default`: LevelSet?
    private(set) var entries: [Filter.Entry] = []
    private(set) var rules: [Filter.StatementRule] = []
    private(set) var problems: [FilterProblem] = []

    /// Reads one entry, which is not empty.
    mutating func read(_ entry: Substring) {
        do throws(FilterProblem) {
            try entry.checkText()
        } catch {
            return problems.append(error)
        }
        guard let (category, levels) = entry.halves(separatedBy: "=") else {
            return readDefault(entry)
        }
        switch LevelSet.parse(levels, in: entry) {
        case .failure(let problem): problems.append(problem)
        case .success(let levels):
            do throws(FilterProblem) {
                try set(category, to: levels, in: entry)
            } catch {
                problems.append(error)
            }
        }
    }

    private mutating func readDefault(_ entry: Substring) {
        switch LevelSet.parse(entry, in: entry) {
        case .success(let levels): `default` = levels
        case .failure(let problem): problems.append(withCategory(problem))
        }
    }

    /// Suggests `net=debug` for just `net`, which does not resemble a level, and for `net:debug`.
    private func withCategory(_ problem: FilterProblem) -> FilterProblem {
        let entry = problem.entry[...]
        if entry.utf8.contains(UInt8(ascii: "@")) { return problem.suggesting("\(entry)=debug") }
        if let (category, word) = entry.halves(separatedBy: ":"),
            CategoryPattern.problem(of: category.utf8) == nil,
            case .success = LevelSet.parse(word, in: entry)
        {
            return problem.suggesting("\(category)=\(word)")
        }
        let isName = entry.utf8.allSatisfy { byte in
            byte >= 0x80 || Unicode.Scalar(byte).properties.isAlphabetic
                || "0123456789._-".utf8.contains(byte)
        }
        guard problem.suggestion == nil, isName, !entry.isMeantAsNumber else { return problem }
        return problem.suggesting("\(entry)=debug")
    }

    private mutating func set(
        _ subject: Substring,
        to levels: LevelSet,
        in entry: Substring
    ) throws(FilterProblem) {
        if let (category, place) = subject.halves(separatedBy: "@") {
            rules.append(try Filter.StatementRule(category, at: place, levels: levels, in: entry))
        } else if subject == "*" {
            `default` = levels
        } else {
            let categories = try CategoryPattern(subject, in: entry)
            entries.removeAll { $0.categories == categories }
            entries.append(Filter.Entry(categories: categories, levels: levels))
        }
    }
}

extension Substring {
    /// Whether the text is a number, or was meant as one.
    var isMeantAsNumber: Bool { utf8.allSatisfy("0123456789+-.".utf8.contains) }
}
