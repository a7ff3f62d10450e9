// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// What has the rest of a record that a sink owes be sent, for the floors that do not know the pipeline.
package enum OwedRest {
    /// Has the rests be sent soon; set once, before a sink is called by whom it concerns.
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

    /// Whether one was noted since it was asked last.
    ///
    /// MT-Safe.
    package static func takeNote() -> Bool {
        isNoted.exchange(false, ordering: .acquiringAndReleasing)
    }

    /// Notes one again, of a sink that still owes it, for the thread that sends them.
    package static func keepNote() {
        isNoted.store(true, ordering: .releasing)
    }

    /// Forgets what the parent owes: in the child of a fork.
    package static func forgetParent() {
        isNoted.store(false, ordering: .relaxed)
    }
}
