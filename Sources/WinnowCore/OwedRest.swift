// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Asks for the rests of records that sinks owe to be sent, for floors that do not know the pipeline.
package enum OwedRest {
    /// Asks for the rests to be sent soon; set once, before the pipeline calls a sink.
    // SAFETY: written before the first configuration is installed, by one thread.
    package nonisolated(unsafe) static var send: (@Sendable () -> Void)?

    private static let isNoted = Atomic<Bool>(false)

    /// Notes that a sink owes a rest; from within the sink.
    ///
    /// MT-Safe.
    @inline(never)
    package static func note() {
        isNoted.store(true, ordering: .releasing)
        unsafe send?()
    }

    /// Returns whether a rest was noted since the last call of this.
    ///
    /// MT-Safe.
    package static func takeNote() -> Bool {
        isNoted.exchange(false, ordering: .acquiringAndReleasing)
    }

    /// Notes again a rest that a sink still owes; for the thread that sends them.
    package static func keepNote() {
        isNoted.store(true, ordering: .releasing)
    }

    /// Forgets what the parent owes: in the child of a fork.
    package static func forgetParent() {
        isNoted.store(false, ordering: .relaxed)
    }
}
