// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import WinnowCore

/// The account of a route and the records that wait, behind a lock that is never held while a sink
/// is called, so that a sink that hangs keeps nobody from reading or adding to them.
final class Books: @unchecked Sendable {
    // SAFETY: `page` is read and written with the lock held.

    /// What the lock guards.
    struct Page {
        var status: SinkStatus
        var spill: Spill
        /// The losses that the log has not been told of yet.
        var unreported = LossReport()

        /// Counts a record as lost.
        mutating func lose(_ header: RecordHeader, cause: LossCause) {
            guard header.isOfProgram else { return }
            status.lost[cause, default: LevelCounts()][header.level] += 1
            unreported.add(header, cause: cause)
        }
    }

    let lock = Lock()
    private var page: Page
    private let backlog = Atomic<Bool>(false)
    private let hasUnreported = Atomic<Bool>(false)

    init(name: String, capacity: Int) {
        page = Page(status: SinkStatus(name: name), spill: Spill(capacity: capacity))
    }

    /// Whether records wait.
    ///
    /// May be read without the lock.
    var isBacklogged: Bool { backlog.load(ordering: .acquiring) }

    /// Whether losses are to be reported.
    ///
    /// May be read without the lock.
    var isOwingReport: Bool { hasUnreported.load(ordering: .acquiring) }

    /// Runs the body with the lock held.
    func update<Result>(_ body: (inout Page) -> Result) -> Result {
        lock.withLock {
            let result = body(&page)
            backlog.store(!page.spill.isEmpty, ordering: .releasing)
            hasUnreported.store(!page.unreported.isEmpty, ordering: .releasing)
            return result
        }
    }
}
