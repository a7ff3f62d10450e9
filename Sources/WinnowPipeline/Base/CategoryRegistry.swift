// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import Synchronization
internal import WinnowCore

/// The cells of all categories by name, and what their levels are made of.
final class CategoryRegistry: @unchecked Sendable {
    // SAFETY: every access to a variable holds the lock.

    let lock = Lock(.categories)
    var cells: [String: Categories.Cell] = [:]
    /// What decides on records.
    private(set) var decision = LevelDecision(own: nil, taken: [], turn: nil)
    /// The same, for who does not hold the lock.
    let shared: SharedDecision
    /// What tasks let through in addition.
    private var tasks: [TaskFilter] = []
    /// The number of the last order that a thread is to carry out, by the places of orders; 0 for none.
    var underway = CategoryRegistry.noneUnderway

    static var noneUnderway: [UInt32] {
        [UInt32](repeating: 0, count: cwinnow_control_slot_count)
    }

    init() {
        shared = SharedDecision(decision)
        cells[""] = unsafe Categories.Cell(pointer: cwinnow_category_default())
    }

    /// What others have set.
    var turn: Turn? { decision.turn }

    /// Sets what others want, or that they want nothing, and the levels of all cells.
    func setTurn(_ turn: Turn?) {
        decide(decision.stack?.own, taken: decision.stack?.taken ?? [], turn)
    }

    /// Sets what the program and its sinks let through, and the levels of all cells.
    func setLevels(_ filter: Filter, taken: LevelSet) {
        decide(filter, taken: taken, turn)
    }

    private func decide(_ filter: Filter?, taken: LevelSet, _ turn: Turn?) {
        decision = LevelDecision(own: filter, taken: taken, turn: turn)
        // First: a call that a cell sends here finds what the cell was set by, or what comes after.
        shared.replace(with: decision)
        setAllCells()
        show()
    }

    /// Notes that one task more or less lets more through.
    func changeTasks(with filter: Filter, by change: Int) {
        let text = filter.ownText
        let task = tasks.first { $0.text == text } ?? TaskFilter(filter, text)
        if task.count == 0 { tasks.append(task) }
        task.count += change
        if task.count == 0 { tasks.removeAll { $0 === task } }
        guard task.count == (change > 0 ? 1 : 0) else { return }
        for (name, cell) in cells where filter.ownLevels(for: name.utf8.span) != nil {
            setCell(cell, named: name)
        }
        if ControlOrder.isAny { cells.values.forEach(haveLookCloser) }
    }

    /// Sets the levels of all cells; their next calls look closer if an order has come meanwhile.
    func setAllCells() {
        for (name, cell) in cells { setCell(cell, named: name) }
        if ControlOrder.isAny { cells.values.forEach(haveLookCloser) }
    }

    /// Has the next call of a cell look what order has come.
    func haveLookCloser(_ cell: Categories.Cell) {
        let mask = UInt32(CWINNOW_MASK_INITIAL)
        let order = cwinnow_cell_levels(mask: mask, closer: UInt32(CWINNOW_CLOSER_ORDER))
        unsafe cwinnow_category_set_levels(cell.pointer, order)
    }

    /// Sets the levels of a cell: those that are let through now or, where more than the category decides, all that
    /// may be, so that calls of these ask for the decision.
    ///
    /// Nothing before the first configuration.
    func setCell(_ cell: Categories.Cell, named name: String) {
        guard let stack = decision.stack else { return }
        let now = stack.levels(for: name.utf8.span)
        let others = otherLevels(of: name)
        let mask = others.map { $0.union(now).rawValue } ?? now.rawValue
        let said =
            others == nil
            ? cwinnow_cell_levels(mask: UInt32(mask), closer: 0)
            : cwinnow_cell_levels(
                mask: UInt32(mask) | UInt32(CWINNOW_MASK_UNRESOLVED),
                closer: UInt32(CWINNOW_CLOSER_RULES) | UInt32(now.rawValue)
            )
        unsafe cwinnow_category_set_levels(cell.pointer, said)
    }

    /// The levels that a category may let through besides: in statements that a rule is for, when what others have set
    /// has ended, and in tasks; nil where its levels are all that decides.
    private func otherLevels(of name: String) -> LevelSet? {
        guard let stack = decision.stack else { return nil }
        let name = name.utf8.span
        var levels = stack.levelsOfRules(for: name)
        if let later = decision.later {
            let (afterwards, ofRules) = (later.levels(for: name), later.levelsOfRules(for: name))
            if ofRules != nil || afterwards != stack.levels(for: name) {
                levels = (levels ?? []).union(afterwards).union(ofRules ?? [])
            }
        }
        for task in tasks {
            guard let ofTask = task.filter.ownLevels(for: name) else { continue }
            levels = (levels ?? []).union(ofTask.intersection(stack.taken))
        }
        return levels
    }
}

/// A filter that tasks have.
private final class TaskFilter {
    let filter: Filter
    let text: String
    /// How many tasks have it.
    var count = 0

    init(_ filter: Filter, _ text: String) {
        self.filter = filter
        self.text = text
    }
}

/// What others see of it.
extension CategoryRegistry {
    /// Shows the program's own filter.
    func show(_ filter: Filter) {
        let state = unsafe cwinnow_control_own_state()
        unsafe state.pointee.filter_length = ControlText.copy(
            filter.description,
            to: cwinnow_control_filter_of_state(state),
            capacity: cwinnow_control_filter_capacity
        )
        show()
    }

    /// Shows what others have set, and what the sinks take.
    func show() {
        let state = unsafe cwinnow_control_own_state()
        unsafe state.pointee.taken_levels = UInt32(decision.stack?.taken.rawValue ?? 0)
        unsafe state.pointee.is_turned = turn == nil ? 0 : 1
        unsafe state.pointee.user_id = turn?.author.userID ?? 0
        unsafe state.pointee.process_id = turn?.author.processID ?? 0
        unsafe state.pointee.end = turn?.realtimeEnd ?? .max
        unsafe state.pointee.turned_length = ControlText.copy(
            turn?.text ?? "",
            to: cwinnow_control_turned_of_state(state),
            capacity: cwinnow_control_filter_capacity
        )
        cwinnow_control_show()
    }
}
