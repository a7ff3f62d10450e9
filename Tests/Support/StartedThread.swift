// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A thread of pthreads(7): one that may spin or sleep without keeping Swift's own from working.
package struct StartedThread: @unchecked Sendable {
    // SAFETY: a pthread_t is a number, which pthread_join(3) takes from any thread.
    private let thread: pthread_t

    /// Starts the thread.
    package init(_ body: @escaping @Sendable () -> Void) {
        let argument = unsafe Unmanaged.passRetained(Body(body)).toOpaque()
        var thread = pthread_t()
        let status = unsafe pthread_create(
            &thread,
            nil,
            { argument in
                if let argument = unsafe argument {
                    unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                }
                return nil
            },
            argument
        )
        precondition(status == 0, "pthread_create: \(status)")
        self.thread = thread
    }

    /// Waits for its end.
    package func join() {
        pthread_join(thread, nil)
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }
}
