// SPDX-License-Identifier: Apache-2.0

public import CWinnow
internal import Synchronization
public import WinnowCore
internal import WinnowPipeline
internal import WinnowSinks

/// The start of the log, by the first record or by the program.
@usableFromInline
enum Startup {
    private static let lock = Lock(.start)
    /// The thread that is starting the system, or 0.
    private static let starter = Atomic<Int32>(0)

    /// Prepares for forks, once, before the lock is first taken: a start may take long, as with a file on a
    /// slow disk, and a fork meanwhile must leave the child a free lock.
    private static let isReadyForFork: Bool = {
        lock.withLock {}
        StreamSink.prepareForFork()
        NetworkSyslog.prepareEnd()
        Pipeline.register(ProcessSteps(inChild: { forgetParent() }))
        return true
    }()

    /// Starts the system as the environment says, unless it runs already.
    static func startFromEnvironment() {
        // isatty(3) and its like set it, and `errno: errno` of the first record is read after this.
        let savedErrno = cwinnow_errno()
        defer { cwinnow_set_errno(savedErrno) }
        elsewhere {
            guard !Pipeline.isRunning else { return }
            run(Launch(ConfigurationPlan.ofProcess()))
        }
    }

    /// Starts the system with a configuration, or starts it anew.
    static func start(_ configuration: Winnow.Configuration) throws(Winnow.ConfigurationError) {
        // SAFETY: written by the other thread, and read when that has ended.
        nonisolated(unsafe) var outcome = Result<Void, Winnow.ConfigurationError>.success(())
        elsewhere {
            do throws(Winnow.ConfigurationError) {
                run(Launch(try ConfigurationPlan.ofProcess(configuration)))
            } catch {
                unsafe outcome = .failure(error)
            }
        }
        try unsafe outcome.get()
    }

    /// Whether a record would be accepted, once the log runs.
    @usableFromInline
    static func isEnabled(
        _ cell: UnsafeMutablePointer<cwinnow_cell>,
        _ level: Level
    ) -> Bool {
        if !Pipeline.isRunning { startFromEnvironment() }
        return unsafe Control.letsThrough(cell, level.rawValue)
    }

    // SAFETY: read and written with the lock held.
    private nonisolated(unsafe) static var presentFilter = Filter("")

    /// The filter that applies; starts the system where it does not run.
    static var filter: Filter {
        if !Pipeline.isRunning { startFromEnvironment() }
        var filter = Filter("")
        exclusively { filter = unsafe presentFilter }
        return filter
    }

    /// Puts a filter without problems in the place of the one that applies.
    static func setFilter(_ filter: Filter) {
        if !Pipeline.isRunning { startFromEnvironment() }
        exclusively {
            unsafe presentFilter = filter
            Pipeline.setFilter(filter)
            ControlPage.show(filter)
            UnmatchedEntries.watch(filter)
        }
    }

    /// Runs a launch, and notes its filter; with the lock held.
    private static func run(_ launch: Launch) {
        unsafe presentFilter = launch.filter
        launch.run()
        UnmatchedEntries.watch(launch.filter)
    }

    /// The bytes of stack that a start may need: some fifty kilobytes were seen.
    private static let stackByteCount: UInt64 = 256 * 1_024

    /// Runs a start, on a thread of its own where this one has too little stack left.
    ///
    /// Not otherwise: malloc gives what a thread has allocated there to the next thread, which may crash while it
    /// holds the lock of it. A sink that starts the log anew does so itself, as the start waits for sinks.
    private static func elsewhere(_ body: @escaping @Sendable () -> Void) {
        guard starter.load(ordering: .relaxed) != cwinnow_thread_id() else { return }
        guard !Pipeline.isInsideSink, !cwinnow_thread_has_room(stackByteCount) else {
            exclusively(body)
            return Pipeline.prepareThread()
        }
        DetachedCall.run("winnow-start") { exclusively(body) }
        Pipeline.prepareThread()
    }

    /// Runs the body on one thread at a time; not at all where that thread runs it already, as a
    /// sink that logs while it is made would have it wait for itself.
    private static func exclusively(_ body: () -> Void) {
        let thread = cwinnow_thread_id()
        guard starter.load(ordering: .relaxed) != thread else { return }
        // A thread that is cancelled while it opens a file would keep the lock.
        let cancellation = cwinnow_cancellation_put_off()
        defer { cwinnow_cancellation_restore(cancellation) }
        guard isReadyForFork else { return }
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
