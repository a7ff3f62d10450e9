// SPDX-License-Identifier: Apache-2.0

package import WinnowCore

/// The log statements of a process, and which are on.
package struct StatementStates: Sendable {
    /// A statement with the categories under which it would log now.
    struct Row: Sendable {
        let statement: Statement
        let state: State
    }

    /// Under which categories of the process a statement would log: no table says which are its own, as that is known
    /// only at run time.
    enum State: Sendable, Equatable {
        case onForAll
        case onFor([String])
        case off
        /// Its level or its place is not known.
        case unknown
    }

    let program: RunningProgram
    let rows: [Row]
    /// Whether its build says of some statement what it is, or there is none.
    let isKnown: Bool

    /// Reads the statements of a process from its program.
    ///
    /// - Parameters:
    ///   - program: The process.
    ///   - query: What the place or the text of a statement must have in it; nil for all statements.
    /// - Throws: `InspectionProblem` if its program cannot be read, or has no table.
    package init(of program: RunningProgram, matching query: String?) throws(InspectionProblem) {
        self.program = program
        var finder = StateFinder(program.page)
        let statements = try program.statements
        isKnown = statements.isEmpty || statements.contains(where: \.isOptimized)
        rows =
            statements
            .filter { statement in query.map(statement.contains) ?? true }
            .map { Row(statement: $0, state: finder.state(of: $0)) }
    }
}

extension RunningProgram {
    /// The statements that its program holds.
    fileprivate var statements: [Statement] {
        get throws(InspectionProblem) { try LinkedProgram(path: programPath).table.statements }
    }

    /// Returns a sentence for each rule of a filter that is for no statement of the program, as far as that is known.
    package func limitsOfRules(of filter: Filter) -> [String] {
        guard !filter.rules.isEmpty, let statements = try? statements else { return [] }
        let areKnown = statements.allSatisfy { $0.line != nil && $0.file != nil }
        return filter.rules.filter { rule in !statements.contains { $0.isMeant(by: rule) } }
            .map {
                areKnown
                    ? "its program has no statement of Winnow's own for '\($0)': see `winnow statements`"
                    : "nobody can tell whether its program has a statement for '\($0)': it is built "
                        + "without optimization"
            }
    }
}

/// Finds out which statements of a process are on.
private struct StateFinder {
    let page: ControlPage
    /// Of the statements that no rule is for, by their levels: each looks at all categories.
    private var statesOfLevels: [Level: StatementStates.State] = [:]

    init(_ page: ControlPage) {
        self.page = page
    }

    mutating func state(of statement: Statement) -> StatementStates.State {
        guard statement.line != nil, statement.file != nil,
            case .exactly(let level) = statement.severity
        else { return .unknown }
        let stack = page.state.stack
        let rules = stack.own.rules + (stack.above?.rules ?? [])
        guard !rules.contains(where: statement.isMeant) else { return find(statement, level) }
        if let known = statesOfLevels[level] { return known }
        let state = find(statement, level)
        statesOfLevels[level] = state
        return state
    }

    private func find(_ statement: Statement, _ level: Level) -> StatementStates.State {
        let verdicts = page.categories.map {
            page.state.stack.verdict(on: statement, level, $0.name)
        }
        if verdicts.contains(.byText) { return .unknown }
        let names = zip(page.categories, verdicts).filter { $1 == .letThrough }.map(\.0.name)
        if names.isEmpty { return .off }
        return names.count == verdicts.count ? .onForAll : .onFor(names)
    }
}

extension FilterStack {
    fileprivate func verdict(
        on statement: Statement,
        _ level: Level,
        _ category: String
    ) -> Verdict {
        let (path, line) = (statement.path, statement.line ?? 0)
        let (name, file) = (category.utf8.span, path.utf8.span)
        guard let text = statement.firstText else {
            return verdict(on: level, category: name, file: file, line: line, text: nil)
        }
        return verdict(on: level, category: name, file: file, line: line, text: text.utf8.span)
    }
}

extension Statement {
    /// The file with its module, as a rule of a filter sees it.
    fileprivate var path: String { "\(module.map { "\($0)/" } ?? "")\(file ?? "")" }

    /// The first literal of its message, as a rule of a filter sees it; nil where that is not known.
    fileprivate var firstText: String? { texts.first { $0 != "" } ?? nil }

    fileprivate func contains(_ query: String) -> Bool {
        place.contains(query) || texts.contains { $0?.contains(query) ?? false }
    }

    /// Whether a rule is for it, in some category, as far as that is known.
    fileprivate func isMeant(by rule: Filter.StatementRule) -> Bool {
        let path = path
        guard let text = firstText else { return rule.isFor(path.utf8.span, line ?? 0, nil) }
        return rule.isFor(path.utf8.span, line ?? 0, text.utf8.span)
    }
}
