// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// What a floor above does at the end of the process and around a fork(2).
///
/// Registrations are added to the others, and none is taken back. One may be added while the process ends or
/// forks on another thread, which finds it whole or not at all. Locks need an order,
/// which pthread_atfork(3) would leave to chance: before a fork, the floors above come before the pipeline, whose
/// locks they may be waiting for; after the fork, they come after the pipeline.
final class Registration: Sendable {
    /// The address of the latest one, which is never released; 0 if there is none.
    private static let latest = Atomic<UInt>(0)

    let steps: ProcessSteps
    /// The one that was registered before.
    private let earlier: Registration?

    private init(_ steps: ProcessSteps, after earlier: Registration?) {
        self.steps = steps
        self.earlier = earlier
    }

    /// Adds steps, for as long as the process lives: one thread at a time.
    static func add(_ steps: ProcessSteps) {
        let registration = Registration(steps, after: current)
        let pointer = unsafe Unmanaged.passRetained(registration).toOpaque()
        latest.store(UInt(bitPattern: pointer), ordering: .releasing)
    }

    private static var current: Registration? {
        let address = latest.load(ordering: .acquiring)
        guard let pointer = unsafe UnsafeRawPointer(bitPattern: address) else { return nil }
        // SAFETY: an object is at the address, which `add` has retained for good.
        return unsafe Unmanaged<Registration>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Has records handed over that come late: within half a second, except at ``ProcessEnd/exit``.
    static func handOver(at end: ProcessEnd) {
        var next = current
        while let registration = next {
            registration.steps.beforeEnd?(end)
            next = registration.earlier
        }
    }

    /// Goes through what is to be done before a fork, the latest first.
    static func beforeFork() {
        var next = current
        while let registration = next {
            registration.steps.beforeFork?()
            next = registration.earlier
        }
    }

    /// Goes through what is to be done after a fork, in the order of the registrations.
    static func afterFork(isChild: Bool) {
        current?.undo(isChild: isChild)
    }

    private func undo(isChild: Bool) {
        earlier?.undo(isChild: isChild)
        if isChild { steps.inChild?() } else { steps.inParent?() }
    }
}
