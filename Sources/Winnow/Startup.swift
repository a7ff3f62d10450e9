// SPDX-License-Identifier: Apache-2.0

public import CWinnow
public import WinnowCore
internal import WinnowPipeline

/// The start of the system, by the first record or by the program.
@usableFromInline
enum Startup {
    private static let lock = Lock()
    /// The thread that is starting the system, or 0.
    ///
    /// Only it can find its own number here.
    private nonisolated(unsafe) static var starter: Int32 = 0

    /// Starts the system as the environment says, unless it runs already.
    static func startFromEnvironment() {
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
        // SAFETY: an aligned word; a thread can read its own number only if it has written it.
        guard unsafe starter != thread else { return }
        lock.withLock {
            unsafe starter = thread
            body()
            unsafe starter = 0
        }
    }
}
