// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// What decides which records are let through, at some time; never changed.
final class LevelDecision: Sendable {
    /// Nil before the first configuration.
    let stack: FilterStack?
    /// What others have set.
    let turn: Turn?

    /// What decides when what others have set has ended; nil where that does not end by itself.
    let later: FilterStack?

    init(own: Filter?, taken: LevelSet, turn: Turn?) {
        self.turn = turn
        stack = own.map { FilterStack(own: $0, above: turn?.filter, taken: taken) }
        later =
            turn?.end == nil ? nil : own.map { FilterStack(own: $0, above: nil, taken: taken) }
    }

    /// Whether what others have set has ended meanwhile.
    var isOver: Bool { turn?.isOver ?? false }

    /// What decides now; nil before the first configuration.
    var present: FilterStack? { isOver ? later : stack }
}
