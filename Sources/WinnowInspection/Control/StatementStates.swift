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

    /// Reads the statements of a process from its program.
    ///
    /// - Parameters:
    ///   - program: The process.
    ///   - query: What the place or the text of a statement must have in it; nil for all statements.
    /// - Throws: `InspectionProblem` if its program cannot be read, or has no table.
    package init(of program: RunningProgram, matching query: String?) throws(InspectionProblem) {
        self.program = program
        let page = program.page
        rows = try program.statements
            .filter { statement in query.map(statement.contains) ?? true }
            .map { Row(statement: $0, state: page.state(of: $0)) }
    }
}

extension RunningProgram {
    /// The statements that its program holds.
    fileprivate var statements: [Statement] {
        get throws(InspectionProblem) { try LinkedProgram(path: programPath).table.statements }
    }

    /// Returns a sentence for each rule of a filter that is for no statement of the program, if all of these are known.
    package func limitsOfRules(of filter: Filter) -> [String] {
        guard !filter.rules.isEmpty, let statements = try? statements,
            statements.allSatisfy({ $0.line != nil && $0.file != nil })
        else { return [] }
        return filter.rules.filter { rule in !statements.contains { $0.isMeant(by: rule) } }
            .map { "its program has no statement for '\($0)': see `winnow statements`" }
    }
}

extension ControlPage {
    fileprivate func state(of statement: Statement) -> StatementStates.State {
        guard let line = statement.line, statement.file != nil,
            case .exactly(let level) = statement.severity
        else { return .unknown }
        let (path, text) = (statement.path, statement.firstText)
        let names = categories.map(\.name).filter { name in
            let verdict = state.stack.verdict(
                on: level,
                category: name.utf8.span,
                file: path.utf8.span,
                line: line,
                text: text.utf8.span
            )
            return verdict == .letThrough
        }
        if names.isEmpty { return .off }
        return names.count == categories.count ? .onForAll : .onFor(names)
    }
}

extension Statement {
    /// The file with its module, as a rule of a filter sees it.
    fileprivate var path: String { "\(module.map { "\($0)/" } ?? "")\(file ?? "")" }

    /// The first literal of its message, as a rule of a filter sees it.
    fileprivate var firstText: String { texts.lazy.compactMap(\.self).first { !$0.isEmpty } ?? "" }

    fileprivate func contains(_ query: String) -> Bool {
        place.contains(query) || texts.contains { $0?.contains(query) ?? false }
    }

    /// Whether a rule is for it, in some category.
    fileprivate func isMeant(by rule: Filter.StatementRule) -> Bool {
        let (path, text) = (path, firstText)
        return rule.isFor(path.utf8.span, line ?? 0, text.utf8.span)
    }
}
