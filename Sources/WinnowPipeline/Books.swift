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
        /// Counts the records that waited and are settled.
        var settled: UInt64 = 0
        /// Whether a caller has waited in vain for room; it ends when a record is settled.
        var isStuck = false
        /// Until when nobody waits for room, on CLOCK_MONOTONIC: after a wait in vain.
        var noWaitUntil: UInt64 = 0

        /// Counts a record as lost.
        mutating func lose(_ header: RecordHeader, cause: LossCause) {
            guard header.isOfProgram else { return }
            status.lost[cause, default: LevelCounts()][header.level] += 1
            // A report of what a sink has logged itself would have it log again.
            if cause != .reentrant { unreported.add(header, cause: cause) }
        }

        /// Counts records as accepted and lost that no ring had room for.
        mutating func lose(_ loss: RingLoss) {
            status.accepted += loss.count
            status.lost[.overflow, default: LevelCounts()][loss.level] += loss.count
            unreported.add(loss)
        }
    }

    let lock = Lock()
    private var page: Page
    private let backlog = Atomic<Bool>(false)
    private let hasUnreported = Atomic<Bool>(false)
    private let absent = Atomic<Bool>(false)
    private let nextAttempt = Atomic<UInt64>(0)

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

    /// Waits until records that waited are settled, or until the time has passed.
    func awaitRoom(_ nanoseconds: UInt64) {
        lock.acquire()
        lock.wait(nanoseconds)
        lock.release()
    }

    /// Takes the oldest of the waiting records out, and wakes who waits for room.
    ///
    /// Nothing where it is no longer there: the end of the process has counted it as lost.
    func removeFirst(_ settled: DetachedBuffer, _ body: (inout Page) -> Void) {
        let hasRoom = update { page in
            guard page.spill.first === settled else { return false }
            body(&page)
            page.spill.removeFirst()
            page.settled += 1
            page.isStuck = false
            return page.spill.hasRoomAgain
        }
        if hasRoom { lock.wake() }
    }

    /// Whether the sink was not there at the last attempt.
    ///
    /// May be read without the lock.
    var isAbsent: Bool {
        get { absent.load(ordering: .relaxed) }
        set { absent.store(newValue, ordering: .relaxed) }
    }

    /// When a caller may try to deliver what waits, on CLOCK_MONOTONIC: not right after an attempt
    /// in vain, which costs it time.
    ///
    /// May be read without the lock.
    var callerMayHelpAt: UInt64 {
        get { nextAttempt.load(ordering: .relaxed) }
        set { nextAttempt.store(newValue, ordering: .relaxed) }
    }

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
