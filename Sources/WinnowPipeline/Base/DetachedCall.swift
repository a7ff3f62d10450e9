// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// A call on a thread of its own: one that has to go on where its caller cannot wait for it, or one that needs more
/// stack than a thread of the program's may have.
package enum DetachedCall {
    /// Runs the body on another thread, and waits for it; on this one where the system has none.
    ///
    /// MT-Safe, AS-Unsafe.
    ///
    /// - Parameters:
    ///   - name: The name of the thread.
    ///   - deadline: How long to wait, on CLOCK_MONOTONIC.
    ///   - body: What to run, which goes on when the time has passed.
    /// - Returns: Whether it has returned.
    @discardableResult
    package static func run(
        _ name: StaticString = "winnow-flush",
        until deadline: UInt64 = .max,
        _ body: @escaping @Sendable () -> Void
    ) -> Bool {
        let call = AwaitedCall {
            Ending.prepareThread()
            body()
            return true
        }
        guard OwnThread.start(name, call.run) == 0 else {
            body()
            return true
        }
        return call.wait(until: deadline) ?? false
    }
}
