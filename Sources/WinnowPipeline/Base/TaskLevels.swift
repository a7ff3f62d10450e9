// SPDX-License-Identifier: Apache-2.0

package import WinnowCore

/// Levels that a task lets through in addition, and the tasks that it starts.
///
/// It is there as long as some task has it: so long the calls of the categories that it names look whether theirs
/// does.
package final class TaskLevels: Sendable {
    @TaskLocal package static var current: TaskLevels?

    private let filter: Filter
    private let outer: TaskLevels?

    /// Has the calls of the categories look, where no other one of the same filter does.
    package init(_ filter: Filter) {
        self.filter = filter
        outer = Self.current
        Categories.changeTasks(with: filter, by: 1)
    }

    deinit {
        Categories.changeTasks(with: filter, by: -1)
    }

    /// The levels that a category lets through in addition.
    func levels(for category: Span<UInt8>) -> LevelSet {
        var levels: LevelSet = []
        var next: TaskLevels? = self
        while let scope = next {
            levels.formUnion(scope.filter.ownLevels(for: category) ?? [])
            next = scope.outer
        }
        return levels
    }
}
