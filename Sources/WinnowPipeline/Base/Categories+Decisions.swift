// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// What is let through, for calls that hold no lock.
///
/// Mostly the mask of the cell says it all. Where rules for statements, an end that will come, or levels of tasks have a
/// part in it, the cell sends its calls to the decision.
extension Categories {
    /// Decides on what may become a record, as far as the cell of its category knows; nil where that must be settled
    /// first: an order has come, one has ended, or somebody has written what says nothing.
    ///
    /// MT-Safe.
    static func verdict(on candidate: RecordCandidate) -> FilterStack.Verdict? {
        switch unsafe Said(candidate.category) {
        case .levels(let levels): unsafe levels.verdict(on: candidate)
        case .rules:
            registry.shared.read { unsafe $0.isOver ? nil : $0.present?.verdict(on: candidate) }
        case .nothing: nil
        }
    }

    /// Decides whatever the cell says.
    ///
    /// MT-Safe.
    static func decision(on candidate: RecordCandidate) -> FilterStack.Verdict {
        registry.shared.read { unsafe $0.present?.verdict(on: candidate) ?? .letThrough }
    }

    /// The levels that a category lets through now in this task, in any of its statements, as far as its cell knows.
    ///
    /// MT-Safe.
    static func levels(of cell: UnsafeMutablePointer<cwinnow_cell>) -> LevelSet? {
        switch unsafe Said(cell) {
        case .levels(let levels): levels
        case .rules:
            registry.shared.read { unsafe $0.isOver ? nil : $0.present?.levels(of: cell) }
        case .nothing: nil
        }
    }

    /// These levels, whatever the cell says.
    ///
    /// MT-Safe.
    static func decidedLevels(of cell: UnsafeMutablePointer<cwinnow_cell>) -> LevelSet {
        registry.shared.read { unsafe $0.present?.levels(of: cell) ?? .all }
    }

    /// What a cell says.
    private enum Said {
        case levels(LevelSet)
        /// That the rules decide.
        case rules
        case nothing

        init(_ cell: UnsafeMutablePointer<cwinnow_cell>) {
            let said = unsafe cwinnow_category_levels(cell)
            if said.closer == 0, said.mask & UInt32(CWINNOW_MASK_UNRESOLVED) == 0 {
                self = .levels(LevelSet(rawValue: UInt8(truncatingIfNeeded: said.mask)))
            } else {
                self = said.closer & ~0xFF == UInt32(CWINNOW_CLOSER_RULES) ? .rules : .nothing
            }
        }
    }
}

extension LevelSet {
    fileprivate func verdict(on candidate: RecordCandidate) -> FilterStack.Verdict {
        isSuperset(of: LevelSet(rawValue: unsafe 1 &<< candidate.level)) ? .letThrough : .heldBack
    }
}

extension FilterStack {
    /// Decides on what may become a record, by the rules and by the levels of the task.
    @inline(never)
    fileprivate func verdict(on candidate: RecordCandidate) -> Verdict {
        guard let level = unsafe Level(rawValue: candidate.level) else { return .heldBack }
        let category = unsafe candidate.category.name
        let file = unsafe candidate.file.assumingMemoryBound(to: UInt8.self)
        let text = unsafe candidate.text?.assumingMemoryBound(to: UInt8.self)
        let verdict = unsafe verdict(
            on: level,
            category: category.span,
            file: file.span,
            line: candidate.line,
            text: text?.span
        )
        if verdict == .letThrough { return verdict }
        return unsafe levelsOfTask(for: category).contains(level) ? .letThrough : verdict
    }

    /// The levels that a category lets through in this task, in any of its statements.
    @inline(never)
    fileprivate func levels(of cell: UnsafeMutablePointer<cwinnow_cell>) -> LevelSet {
        let name = unsafe cell.name
        let levels = unsafe levels(for: name.span).union(levelsOfRules(for: name.span) ?? [])
        return unsafe levels.union(levelsOfTask(for: name))
    }

    private func levelsOfTask(for category: UnsafeBufferPointer<UInt8>) -> LevelSet {
        unsafe TaskLevels.levels(for: category.span).intersection(taken)
    }
}
