// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A sink that counts a record as delivered when its destination has taken a part of it, and sends the
/// rest later.
///
/// It calls ``OwedRest/note()`` where a call leaves one, so that somebody sends it although no record
/// comes behind.
package protocol OwingSink: Sink {
    /// Whether the rest of a record is still here. Law 1 of ``Sink`` holds for it.
    var owesRest: Bool { get }

    /// Gives up the records whose rest is still here, and returns their headers.
    ///
    /// Nothing that the destination takes later stands behind the part where the sink can help it.
    /// Law 1 of ``Sink`` holds for it.
    func takeOwed() -> [RecordHeader]
}

/// What has a sink's rest be sent, for the floors that do not know the pipeline.
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
