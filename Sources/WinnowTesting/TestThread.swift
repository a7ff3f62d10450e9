// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// A thread that may wait: a task's must not, as there are few of them.
enum TestThread {
    /// Runs the body on a thread of its own; on the caller's where none can be started.
    ///
    /// All signals are blocked there.
    static func start(_ run: @escaping @Sendable () -> Void) {
        if OwnThread.start("winnow-test", run) < 0 { run() }
    }
}
