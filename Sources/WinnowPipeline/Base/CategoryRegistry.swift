// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import Synchronization
internal import WinnowCore

/// The cells of all categories by name, and what their levels are made of.
final class CategoryRegistry: @unchecked Sendable {
    // SAFETY: every access to a variable holds the lock.

    /// What the program and its sinks let through.
    struct Levels: Sendable {
        /// The levels that some sink takes.
        let taken: LevelSet
        /// The levels of the program's filter, by category.
        let filter: @Sendable (String) -> LevelSet
    }

    let lock = Lock(.categories)
    var cells: [String: Categories.Cell] = [:]
    /// Nil before the first configuration.
    var levels: Levels?
    /// What others have set.
    private(set) var turn: Turn?
    /// When that ends, on CLOCK_BOOTTIME, for who does not hold the lock; the greatest time for never.
    let end = Atomic<UInt64>(.max)
    /// The number of the last order that a thread is to carry out, by the places of orders; 0 for none.
    var underway = CategoryRegistry.noneUnderway

    static var noneUnderway: [UInt32] {
        [UInt32](repeating: 0, count: cwinnow_control_slot_count)
    }

    init() {
        cells[""] = unsafe Categories.Cell(pointer: cwinnow_category_default())
    }

    /// Sets what others want, or that they want nothing, and the levels of all cells.
    ///
    /// Until all are set, calls go by the old end: one that has come has them wait for this.
    func setTurn(_ turn: Turn?) {
        self.turn = turn
        setAllCells()
        end.store(turn?.end ?? .max, ordering: .relaxed)
        show()
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

    /// Sets the levels of a cell: those that are let through now, or where these change by themselves, also those of
    /// later, so that calls of both look what time it is.
    ///
    /// - Returns: The levels that are let through now; nil before the first configuration.
    @discardableResult
    func setCell(_ cell: Categories.Cell, named name: String) -> LevelSet? {
        guard let levels else { return nil }
        let filtered = levels.filter(name)
        let own = filtered.intersection(levels.taken)
        let now = (turn?.levels(for: name, otherwise: filtered) ?? own).intersection(levels.taken)
        let changes = now != own && turn?.end != nil
        let mask = UInt32(changes ? now.union(own).rawValue : now.rawValue)
        let said =
            changes
            ? cwinnow_cell_levels(
                mask: mask | UInt32(CWINNOW_MASK_UNRESOLVED),
                closer: UInt32(CWINNOW_CLOSER_TIMED) | UInt32(now.rawValue)
            )
            : cwinnow_cell_levels(mask: mask, closer: 0)
        unsafe cwinnow_category_set_levels(cell.pointer, said)
        return now
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
        unsafe state.pointee.taken_levels = UInt32(levels?.taken.rawValue ?? 0)
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
