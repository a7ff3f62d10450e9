// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
package import WinnowCore

/// What a process says of its levels, and of the last order that it has taken.
package struct ControlState: Sendable {
    /// Levels that others have set.
    package struct Turn: Sendable {
        /// The filter; what of it the page has room for.
        package let filter: String
        /// Who has set them, as they said.
        package let userID: UInt32
        package let processID: Int32
        /// Until when, in nanoseconds since 1970; nil for ever.
        package let end: UInt64?

        /// Whether its time is over.
        var isOver: Bool { end.map { $0 <= cwinnow_clock_realtime() } ?? false }
    }

    /// The program's own filter; what of it the page has room for.
    package let filter: String
    /// What decides on its records.
    let stack: FilterStack
    /// The levels that some sink takes.
    package var taken: LevelSet { stack.taken }
    /// What others have set; nil for nothing.
    package let turn: Turn?

    /// Reads it from a page, again where the process writes it meanwhile.
    init(_ source: some ByteSource) throws(InspectionProblem) {
        self.init(
            try source.settledBytes(
                at: UInt64(cwinnow_control_state_offset),
                count: UInt64(MemoryLayout<cwinnow_control_state>.size),
                of: "the state of the control page"
            )
        )
    }

    private init(_ bytes: [UInt8]) {
        filter = bytes.text(
            \cwinnow_control_state.filter,
            count: bytes.number(\cwinnow_control_state.filter_length)
        )
        let taken: UInt32 = bytes.number(\cwinnow_control_state.taken_levels)
        let isTurned: UInt32 = bytes.number(\cwinnow_control_state.is_turned)
        let end: UInt64 = bytes.number(\cwinnow_control_state.end)
        turn =
            isTurned == 0
            ? nil
            : Turn(
                filter: bytes.text(
                    \cwinnow_control_state.turned,
                    count: bytes.number(\cwinnow_control_state.turned_length)
                ),
                userID: bytes.number(\cwinnow_control_state.user_id),
                processID: bytes.number(\cwinnow_control_state.process_id),
                end: end == .max ? nil : end
            )
        // One whose time is over has no effect, though no call has noticed yet.
        let present = turn.flatMap { $0.isOver ? nil : $0 }
        stack = FilterStack(
            own: Filter(filter),
            above: present.map { Filter($0.filter) },
            taken: LevelSet(rawValue: UInt8(truncatingIfNeeded: taken))
        )
    }

    /// The levels that a category lets through now, by what its cell says.
    ///
    /// The cell of one that is to look for an order lets all through until the next call; that will find what the
    /// process says here, if the order changes nothing.
    func levels(of name: String, held: UInt32, closer: UInt32) -> LevelSet {
        if closer & UInt32(CWINNOW_CLOSER_RULES) != 0 {
            return LevelSet(rawValue: UInt8(truncatingIfNeeded: closer))
        }
        guard closer & UInt32(CWINNOW_CLOSER_REASONS) != 0 else {
            return LevelSet(rawValue: ~UInt8(truncatingIfNeeded: held))
        }
        return stack.levels(for: name.utf8.span)
    }
}
