// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import WinnowCore
internal import WinnowPipeline

/// Fields that a logger or a task carries: made once, shared by all that carry them.
@usableFromInline
@safe
final class LogContext: Sendable {
    private let fields: [Field]
    // SAFETY: its memory is there for as long as the context is.
    private let encoded: EncodedFields

    private init(_ fields: [Field]) {
        self.fields = fields
        unsafe encoded = EncodedFields(fields)
    }

    deinit {
        unsafe encoded.deallocate()
    }

    /// Copies the fields behind a message: see ``EncodedFields/copy(behind:)``.
    @inline(__always)
    func copy(behind end: EncodedFields.End) -> EncodedFields.End? {
        unsafe encoded.copy(behind: end)
    }

    /// Appends the fields to a message, whether or not there is room in its buffer.
    func append(to message: inout LogMessage.StringInterpolation) {
        unsafe encoded.append(to: &message)
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
