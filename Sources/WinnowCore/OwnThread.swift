// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// A thread of Winnow's own: detached, with all signals blocked but those of faults.
package enum OwnThread {
    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    /// Starts a thread.
    ///
    /// MT-Safe, AS-Unsafe.
    ///
    /// - Parameters:
    ///   - name: Its name, of which the kernel keeps 15 bytes.
    ///   - run: What it runs; the thread ends when this returns.
    /// - Returns: 0, or a negative errno value where the system has no thread for it: nothing runs then.
    package static func start(
        _ name: StaticString,
        _ run: @escaping @Sendable () -> Void
    ) -> Int32 {
        let body = unsafe Unmanaged.passRetained(Body(run))
        // SAFETY: a literal is terminated; the object was retained for the thread.
        let status = unsafe cwinnow_thread_start(
            UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self),
            { argument in
                guard let argument = unsafe argument else { return }
                unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
            },
            body.toOpaque()
        )
        if status < 0 { unsafe body.release() }
        return status
    }
}
