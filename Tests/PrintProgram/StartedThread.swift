// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A thread of its own, whose end can be waited for.
struct StartedThread {
    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    private var thread = pthread_t()

    init(_ body: @escaping @Sendable () -> Void) {
        let argument = unsafe Unmanaged.passRetained(Body(body)).toOpaque()
        unsafe pthread_create(
            &thread,
            nil,
            { argument in
                unsafe argument.map {
                    unsafe Unmanaged<Body>.fromOpaque($0).takeRetainedValue().run()
                }
                return nil
            },
            argument
        )
    }

    /// Waits until the thread is gone, with all that libc and others keep for it.
    ///
    /// Once.
    func join() {
        pthread_join(thread, nil)
    }
}
