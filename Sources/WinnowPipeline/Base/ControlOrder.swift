// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// What others want the process to do, as they have written it into the control page: see `CWinnowControl.h`.
///
/// It is a copy, which nobody changes any more, of whatever stood there.
struct ControlOrder {
    /// What is to be done.
    enum Command {
        case turn(Turn)
        case reset
        case reopen
        case flush
        case report
    }

    /// Its place in the page, and its number there.
    struct Name: Sendable {
        let slot: UInt32
        let number: UInt32
    }

    let name: Name
    /// Nil where it is not understood.
    let command: Command?
    /// Who has given it.
    let author: Author

    /// Whether an order lies in the page that was not taken.
    ///
    /// MT-Safe, AS-Safe.
    static var isAny: Bool { cwinnow_control_has_order() }

    /// Takes an order that lies in the page; nil where there is none, or somebody writes it.
    ///
    /// One thread at a time.
    static func take() -> ControlOrder? {
        guard let order = unsafe cwinnow_control_take_order() else { return nil }
        return unsafe ControlOrder(order)
    }

    private init(_ order: UnsafePointer<cwinnow_control_order>) {
        name = unsafe Name(slot: order.pointee.slot, number: order.pointee.number)
        author = unsafe Author(userID: order.pointee.user_id, processID: order.pointee.process_id)
        switch unsafe Int(order.pointee.kind) {
        case cwinnow_control_set: command = unsafe Self.turn(of: order, by: author)
        case cwinnow_control_reset: command = .reset
        case cwinnow_control_reopen: command = .reopen
        case cwinnow_control_flush: command = .flush
        case cwinnow_control_report: command = .report
        default: command = nil
        }
    }

    /// The levels of an order; nil where its filter is none.
    private static func turn(
        of order: UnsafePointer<cwinnow_control_order>,
        by author: Author
    ) -> Command? {
        guard let count = unsafe Int(exactly: order.pointee.filter_length),
            count <= cwinnow_control_filter_capacity
        else { return nil }
        let start = unsafe cwinnow_control_filter_of_order(order)
        let bytes = unsafe UnsafeBufferPointer(start: start, count: count)
        let filter = unsafe Filter(String(decoding: bytes, as: UTF8.self))
        guard filter.problems.isEmpty, !filter.isEmpty else { return nil }
        let (given, duration) = unsafe (order.pointee.given, order.pointee.duration)
        return .turn(Turn(filter, by: author, given: given, for: duration))
    }
}
