// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// The log statements of a process, and what is on of them.
package struct StatementStates: Sendable {
    /// A statement with the categories under which it would log now.
    ///
    /// No table says under which categories a statement logs: they are known at run time.
    struct Row: Sendable {
        let statement: Statement
        let categories: Categories
    }

    /// Under which categories of the process a statement would log.
    enum Categories: Sendable, Equatable {
        case all
        case none
        case some([String])
        /// Its level or place is not known.
        case unknown
    }

    /// The process, as whoever looks knows it, and the name of its program in the log.
    let processID: Int32
    let identifier: String
    let rows: [Row]

    /// Reads the statements of a process from its program.
    ///
    /// - Parameters:
    ///   - program: The process.
    ///   - query: What the place or the text of a statement must have in it; nil for all statements.
    /// - Throws: `InspectionProblem` if its program cannot be read, or has no table.
    package init(of program: RunningProgram, matching query: String?) throws(InspectionProblem) {
        processID = program.processID
        identifier = program.page.identifier
        let table = try LinkedProgram(path: program.programPath).table
        let page = program.page
        rows = table.statements
            .filter { statement in query.map(statement.contains) ?? true }
            .map { Row(statement: $0, categories: page.categories(of: $0)) }
    }
}

extension ControlPage {
    /// The categories under which a statement would log now.
    fileprivate func categories(of statement: Statement) -> StatementStates.Categories {
        guard let file = statement.file, let line = statement.line,
            case .exactly(let level) = statement.severity
        else { return .unknown }
        let path = statement.module.map { "\($0)/\(file)" } ?? file
        let text = statement.texts.first ?? ""
        let names = categories.map(\.name).filter { name in
            state.verdict(on: level, category: name, file: path, line: line, text: text ?? "")
                == .letThrough
        }
        if names.isEmpty { return .none }
        return names.count == categories.count ? .all : .some(names)
    }
}

extension Statement {
    /// Whether its place or its text has something in it.
    fileprivate func contains(_ query: String) -> Bool {
        let place = "\(module ?? "")/\(file ?? ""):\(line.map { "\($0)" } ?? "")"
        return place.contains(query) || texts.contains { $0?.contains(query) ?? false }
    }
}
