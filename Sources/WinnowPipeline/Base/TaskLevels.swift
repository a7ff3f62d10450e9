// SPDX-License-Identifier: Apache-2.0

package import WinnowCore

/// Levels that a task lets through in addition, and the tasks that it starts.
///
/// They are there as long as some task has them: so long the calls of the categories that they name look whether theirs
/// does.
package final class TaskLevels: Sendable {
    /// All that the task has, each once: a task that starts itself anew has no more than the first one.
    @TaskLocal package static var current: [TaskLevels] = []

    private let filter: Filter
    private let text: String

    /// Has the calls of the categories look, where no other one of the same filter does.
    private init(_ filter: Filter, _ text: String) {
        self.filter = filter
        self.text = text
        Categories.changeTasks(with: filter, by: 1)
    }

    deinit {
        Categories.changeTasks(with: filter, by: -1)
    }

    /// What a task has that is started here, and lets more through.
    package static func current(and filter: Filter) -> [TaskLevels] {
        let text = filter.ownText
        let present = current
        return present.contains { $0.text == text } ? present : present + [TaskLevels(filter, text)]
    }

    /// The levels that a category lets through in addition, in this task.
    static func levels(for category: Span<UInt8>) -> LevelSet {
        var levels: LevelSet = []
        for scope in current { levels.formUnion(scope.filter.ownLevels(for: category) ?? []) }
        return levels
    }
}
