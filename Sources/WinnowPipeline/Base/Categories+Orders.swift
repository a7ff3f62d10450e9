// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import Synchronization
internal import WinnowCore

/// The levels that others set by the control page, and the other orders that come that way.
///
/// No thread waits for an order. Who gives one has the calls of all categories look closer than at the mask; the first
/// that does takes the order, and sets the cells. While levels are set for a time, calls that they concern ask for the
/// decision, which ends with them; the first one after the end sets the cells again.
extension Categories {
    /// What has changed at an order or at the end of one, and what is left to be done.
    enum Event {
        case turned(Turn)
        case reset(Turn, by: Author)
        case ended(Turn)
        /// Its time had passed before a call looked.
        case late(Turn)
        case reopen(ControlOrder.Name, by: Author)
        case flush(ControlOrder.Name)
        case report(ControlOrder.Name)
    }

    /// How many orders a call takes that come one after the other.
    private static let mostOrdersAtATime = 8

    /// Takes the orders that have come, ends what has ended, and sets the levels of a cell.
    ///
    /// MT-Safe, AS-Unsafe. Waits for the lock with a bound, as a child that no handler was told of may find it held for
    /// good; then the decision stays as it is, for the next call.
    ///
    /// - Parameter cell: The cell whose call has looked; nil where none has.
    /// - Returns: What has changed and is to be said, and what is to be done.
    static func settle(_ cell: UnsafeMutablePointer<cwinnow_cell>?) -> [Event] {
        guard registry.lock.acquire(within: Bounds.sink) else { return [] }
        defer { registry.lock.release() }
        cwinnow_control_own()
        var events = registry.endTurn()
        for _ in 0..<mostOrdersAtATime {
            guard let order = ControlOrder.take() else { break }
            registry.obey(order, noting: &events)
        }
        guard let cell = unsafe cell else { return events }
        let settled = unsafe Cell(pointer: cell)
        registry.setCell(settled, named: unsafe String(decoding: cell.name, as: UTF8.self))
        if ControlOrder.isAny { registry.haveLookCloser(settled) }
        return events
    }

    /// Ends what others have set, as they cannot end it any more.
    ///
    /// MT-Safe, AS-Unsafe.
    static func endTurn() -> [Event] {
        registry.lock.withLock {
            guard let turn = registry.turn else { return [] }
            registry.setTurn(nil)
            return [.ended(turn)]
        }
    }

    /// Returns whether a thread must be started for an order: none is about an earlier one of the place.
    ///
    /// MT-Safe.
    static func begin(_ order: ControlOrder.Name) -> Bool {
        registry.lock.withLock {
            defer { registry.underway[Int(order.slot)] = order.number }
            return registry.underway[Int(order.slot)] == 0
        }
    }

    /// Notes why an order could not be carried out; others see it when they next see the accounts.
    static func note(_ reason: String, for order: ControlOrder.Name) {
        registry.lock.withLock {
            let shown = unsafe cwinnow_control_own_accounts()
            unsafe shown.pointee.failure.slot = order.slot
            unsafe shown.pointee.failure.number = order.number
            unsafe shown.pointee.failure.length = ControlText.copy(
                reason,
                to: cwinnow_control_reason_of_accounts(shown),
                capacity: cwinnow_control_reason_capacity
            )
        }
    }

    /// Shows what became of the orders of a place, as a thread has carried them out since the given one was begun.
    ///
    /// - Returns: The next order, which has come since; nil where there is none.
    static func finish(_ order: ControlOrder.Name, _ outcome: Int) -> ControlOrder.Name? {
        registry.lock.withLock {
            cwinnow_control_answer_order(order.slot, order.number, UInt32(outcome))
            let last = registry.underway[Int(order.slot)]
            guard last != 0, last != order.number else {
                registry.underway[Int(order.slot)] = 0
                return nil
            }
            return ControlOrder.Name(slot: order.slot, number: last)
        }
    }

    /// Shows the program's own filter.
    static func show(_ filter: Filter) {
        registry.lock.withLock { registry.show(filter) }
    }
}

extension CategoryRegistry {
    /// Ends what others have set, if its time is over.
    fileprivate func endTurn() -> [Categories.Event] {
        guard let turn, turn.isOver else { return [] }
        setTurn(nil)
        return [.ended(turn)]
    }

    /// Does what an order says, but for what takes time.
    fileprivate func obey(_ order: ControlOrder, noting events: inout [Categories.Event]) {
        var outcome = cwinnow_control_done
        switch order.command {
        case .turn(let turn) where turn.isOver:
            // Nobody has looked while it was to be in force: what was set before it stays.
            events.append(.late(turn))
            outcome = cwinnow_control_late
        case .turn(let turn):
            setTurn(turn)
            events.append(.turned(turn))
        case .reset:
            if let turn { events.append(.reset(turn, by: order.author)) }
            setTurn(nil)
        case .reopen:
            events.append(.reopen(order.name, by: order.author))
            outcome = cwinnow_control_begun
        case .flush:
            events.append(.flush(order.name))
            outcome = cwinnow_control_begun
        case .report:
            events.append(.report(order.name))
            outcome = cwinnow_control_begun
        case nil:
            outcome = cwinnow_control_refused
        }
        cwinnow_control_answer_order(order.name.slot, order.name.number, UInt32(outcome))
    }
}
