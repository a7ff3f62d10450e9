// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import WinnowCore
internal import WinnowPipeline

/// Fields that a logger or a task carries: made once, shared by all that carry them.
@usableFromInline
final class LogContext: Sendable {
    let fields: [Field]

    init(_ fields: [Field]) {
        self.fields = fields
    }

    /// The context with more fields; one of the same name takes the place of the earlier one.
    static func adding(_ fields: [Field], to context: LogContext?) -> LogContext {
        var all = context?.fields ?? []
        for field in fields {
            all.removeAll { $0.name == field.name }
            all.append(field)
        }
        return LogContext(all)
    }

    /// The context of the task, or of the thread where there is none.
    @TaskLocal static var ofTask: LogContext?

    /// Whether any task has ever had a context: what a program does not use costs it one load.
    private static let hasBeenBound = Atomic<Bool>(false)

    static var isBound: Bool { hasBeenBound.load(ordering: .relaxed) }

    /// Says that a task is about to have a context.
    static func noteBinding() {
        guard !isBound else { return }
        hasBeenBound.store(true, ordering: .relaxed)
        Pipeline.askAtCloses()
    }
}
