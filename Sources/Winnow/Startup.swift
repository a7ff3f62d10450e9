// SPDX-License-Identifier: Apache-2.0

public import CWinnow
internal import Synchronization
public import WinnowCore
internal import WinnowPipeline
internal import WinnowSinks

/// The start of the system, by the first record or by the program.
@usableFromInline
enum Startup {
    private static let lock = Lock()
    /// The thread that is starting the system, or 0.
    private static let starter = Atomic<Int32>(0)

    /// Whether a fork is prepared for: before the lock is taken, as a start may take long, with a file
    /// on a slow disk, and a fork meanwhile must leave the child a lock that is free.
    private static let isReadyForFork: Bool = {
        lock.withLock {}
        StreamSink.prepareForFork()
        Pipeline.afterFork { forgetParent() }
        return true
    }()

    /// Starts the system as the environment says, unless it runs already.
    static func startFromEnvironment() {
        // isatty(3) and its like set it, and `errno: errno` of the first record is read after this.
        let savedErrno = cwinnow_errno()
        defer { cwinnow_set_errno(savedErrno) }
        exclusively {
            guard !Pipeline.isRunning else { return }
            Launch(ConfigurationPlan.ofProcess()).run()
        }
    }

    /// Starts the system with a configuration, or starts it anew.
    static func start(_ configuration: Winnow.Configuration) throws(Winnow.ConfigurationError) {
        var outcome = Result<Void, Winnow.ConfigurationError>.success(())
        exclusively {
            do throws(Winnow.ConfigurationError) {
                Launch(try ConfigurationPlan.ofProcess(configuration)).run()
            } catch {
                outcome = .failure(error)
            }
        }
        try outcome.get()
    }

    /// Whether a record would be accepted, once the system runs.
    @usableFromInline
    static func isEnabled(
        _ cell: UnsafeMutablePointer<cwinnow_category>,
        _ level: Level
    ) -> Bool {
        if !Pipeline.isRunning { startFromEnvironment() }
        return unsafe cwinnow_category_mask(cell) & (1 &<< UInt32(level.rawValue)) != 0
    }

    /// Runs the body on one thread at a time; not at all where that thread runs it already, as a
    /// sink that logs while it is made would have it wait for itself.
    private static func exclusively(_ body: () -> Void) {
        let thread = cwinnow_thread_id()
        guard starter.load(ordering: .relaxed) != thread, isReadyForFork else { return }
        lock.withLock {
            starter.store(thread, ordering: .relaxed)
            body()
            starter.store(0, ordering: .relaxed)
        }
    }

    /// Forgets a start that another thread of the parent was about: in the child of a fork.
    private static func forgetParent() {
        lock.reset()
        starter.store(0, ordering: .relaxed)
    }
}
