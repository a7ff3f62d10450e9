// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import Synchronization

/// A number that tells this run of the program from others, which may have its process number: containers have
/// low ones again and again, and other systems reuse them.
enum RunIdentity {
    /// The number; 0 until it is made.
    private static let made = Atomic<UInt32>(0)
    /// The number, but 0 while the process ends as well: so that records ask ``EndGate`` at no cost
    /// to all that came before.
    private static let free = Atomic<UInt32>(0)

    /// The number; 0 if it is not made yet, or if records are held back: see ``current``.
    static var known: UInt32 {
        @inline(__always) get { free.load(ordering: .relaxed) }
    }

    /// A random number other than 0.
    ///
    /// MT-Safe; the first call asks the kernel for it, and at the end of the process it may wait.
    static var current: UInt32 {
        @inline(__always) get {
            let known = free.load(ordering: .relaxed)
            return known != 0 ? known : make()
        }
    }

    @inline(never)
    private static func make() -> UInt32 {
        let number = UInt32.random(in: 1 ... .max)
        let outcome = made.compareExchange(expected: 0, desired: number, ordering: .relaxed)
        let identity = outcome.exchanged ? number : outcome.original
        cwinnow_control_set_run(identity)
        guard Stage.has(reached: .gated) else {
            free.store(identity, ordering: .sequentiallyConsistent)
            // Whoever closed the gate meanwhile has set it before this.
            if Stage.has(reached: .gated) { holdBack() }
            return identity
        }
        EndGate.pass()
        return identity
    }

    /// Has every record ask ``EndGate`` before it gets a number.
    static func holdBack() {
        free.store(0, ordering: .sequentiallyConsistent)
    }

    /// Has the next record make one: in the child of a fork.
    static func forgetParent() {
        made.store(0, ordering: .relaxed)
        free.store(0, ordering: .relaxed)
    }
}
