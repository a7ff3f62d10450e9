// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import Synchronization
internal import WinnowCore
internal import WinnowPipeline

/// Entries of the filter that no category has matched: what was misspelled is no error of the filter, and
/// would have no effect without a word.
///
/// A program makes its categories as it comes to use them. So it is told after some seconds, or at an exit
/// that comes before; of each entry once.
enum UnmatchedEntries {
    /// How long a program has to make its categories, in nanoseconds: more than a service takes to start.
    private static let delay: UInt64 = 5_000_000_000
    /// When the filter that applies has had that time, on CLOCK_MONOTONIC.
    private static let due = Atomic<UInt64>(0)
    /// The process in which a thread waits for that; 0 for none.
    private static let waiting = Atomic<Int32>(0)

    /// Watches the filter that applies from now on.
    static func watch(_ filter: Filter) {
        guard filter.namesCategories else { return }
        Categories.setFindings { names in
            filter.entriesWithout(names).map { entry, suggestion in
                let problem = Winnow.ConfigurationProblem(
                    "filter",
                    entry: entry,
                    reason: "no category has matched it so far",
                    suggestion: suggestion
                )
                return (entry, problem.description)
            }
        }
        due.store(cwinnow_clock_monotonic() + delay, ordering: .relaxed)
        let process = cwinnow_process_id()
        guard waiting.exchange(process, ordering: .relaxed) != process else { return }
        // Where there is no thread for it, it is told at the exit.
        if OwnThread.start("winnow-filter", awaitCategories) < 0 {
            waiting.store(0, ordering: .relaxed)
        }
    }

    @Sendable
    private static func awaitCategories() {
        while true {
            let (now, due) = (cwinnow_clock_monotonic(), due.load(ordering: .relaxed))
            if now >= due { break }
            cwinnow_thread_pause(due - now)
        }
        waiting.store(0, ordering: .relaxed)
        News.tellFindings()
    }
}
