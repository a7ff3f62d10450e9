// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// A thread that may wait: a task's must not, as there are few of them.
enum TestThread {
    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    /// Runs the body on a thread of its own; on the caller's where none can be started.
    ///
    /// All signals are blocked there.
    static func start(_ run: @escaping @Sendable () -> Void) {
        let body = unsafe Unmanaged.passRetained(Body(run))
        let status = unsafe cwinnow_thread_start(
            "winnow-test",
            { argument in
                guard let argument = unsafe argument else { return }
                // SAFETY: the object was retained for this thread.
                unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
            },
            body.toOpaque()
        )
        guard status < 0 else { return }
        unsafe body.takeRetainedValue().run()
    }
}
