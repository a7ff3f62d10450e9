// SPDX-License-Identifier: Apache-2.0

public import WinnowCore
internal import WinnowPipeline

/// Levels for one task: debug for the request that matters, and for no other.
extension Log {
    /// Runs the operation with more levels for the records of the task, and for the tasks that it starts, except
    /// detached ones.
    ///
    /// ```swift
    /// try await Log.withLevel(.debug, "net") { try await handle(request) }
    /// ```
    /// The level and all more severe ones are let through for the categories, in addition to what is let through
    /// anyway: nothing is lowered. This holds for swift-log's statements as well, if Winnow is their backend. A sink that
    /// takes only other levels still does, and a statement below the floor of the build is not there. Calls of the
    /// categories look at the levels of their task, for as long as some task has such levels; all other calls execute
    /// what they do without.
    ///
    /// - Parameters:
    ///   - level: The least severe level that is let through.
    ///   - categories: The categories as in a filter, `net` or `db.*`, separated by commas; `*` for all. What is no
    ///     category is told in the log, at warning, and not applied.
    ///   - operation: What is run.
    /// - Returns: What the operation returns.
    /// - Throws: What the operation throws.
    ///
    /// MT-Safe, AS-Unsafe.
    ///
    /// Source: SE-0311, "Task Local Values".
    public static func withLevel<Result, Failure: Error>(
        _ level: Level,
        _ categories: String = "*",
        operation: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let levels = taskLevels(level, categories)
        var outcome: Swift.Result<Result, Failure>?
        TaskLevels.$current.withValue(levels) {
            do throws(Failure) {
                outcome = .success(try operation())
            } catch {
                outcome = .failure(error)
            }
        }
        return try unsafe outcome.unsafelyUnwrapped.get()
    }

    /// The same for an asynchronous operation, which runs where the caller does.
    public static func withLevel<Result, Failure: Error>(
        _ level: Level,
        _ categories: String = "*",
        isolation: isolated (any Actor)? = #isolation,
        operation: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let levels = taskLevels(level, categories)
        var outcome: Swift.Result<Result, Failure>?
        await TaskLevels.$current.withValue(levels) {
            do throws(Failure) {
                outcome = .success(try await operation())
            } catch {
                outcome = .failure(error)
            }
        }
        return try unsafe outcome.unsafelyUnwrapped.get()
    }

    /// What has been told already: a service does one thing for each request.
    private static let told = Guarded<Set<String>>([])
    private static let mostTold = 64

    private static func taskLevels(_ level: Level, _ categories: String) -> [TaskLevels] {
        let entries = categories[...].parts(separatedBy: ",").filter { !$0.isEmpty }
        let filter = Filter(entries.map { "\($0)=\(level)" }.joined(separator: ","))
        for problem in filter.problems {
            tell(Winnow.ConfigurationProblem("withLevel", problem).description)
        }
        if !filter.rules.isEmpty {
            tell("withLevel: '\(categories)' names statements: a task has levels for categories")
        }
        return TaskLevels.current(and: filter)
    }

    private static func tell(_ text: String) {
        let isNew = told.withLock { $0.count < mostTold && $0.insert(text).inserted }
        if isNew { News.announce(text, level: .warning) }
    }
}
