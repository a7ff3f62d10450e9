// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import Synchronization

/// A number that tells this run of the program from others, which may have its process number: containers have
/// low ones again and again, and other systems reuse them.
enum RunIdentity {
    /// The number; 0 until it is made.
    private static let made = Atomic<UInt32>(0)

    /// The number; 0 if it is not made yet, or if records are held back: see ``current``.
    ///
    /// It is 0 while the process ends as well, so that records ask ``EndGate`` at no cost to all that came before.
    static var known: UInt32 {
        @inline(__always) get { cwinnow_delivery_run() }
    }

    /// The number, which is made now if it was not; records may be held back still.
    static var number: UInt32 {
        let number = UInt32.random(in: 1 ... .max)
        let outcome = made.compareExchange(expected: 0, desired: number, ordering: .relaxed)
        return outcome.exchanged ? number : outcome.original
    }

    /// A random number other than 0.
    ///
    /// MT-Safe; the first call asks the kernel for it, and at the end of the process it may wait.
    static var current: UInt32 {
        @inline(__always) get {
            let known = known
            return known != 0 ? known : make()
        }
    }

    @inline(never)
    private static func make() -> UInt32 {
        // A record is about to get a number.
        UntoldChild.adoptIfNeeded()
        Recorder.beginInChild()
        let identity = number
        cwinnow_control_set_run(identity)
        guard Stage.has(reached: .gated) else {
            cwinnow_delivery_set_run(identity)
            // Whoever closed the gate meanwhile has set it before this.
            if Stage.has(reached: .gated) { holdBack() }
            return identity
        }
        EndGate.pass()
        return identity
    }

    /// Has every record ask ``EndGate`` before it gets a number.
    static func holdBack() {
        cwinnow_delivery_set_run(0)
    }

    /// Has the next record make one: in the child of a fork.
    static func forgetParent() {
        made.store(0, ordering: .relaxed)
        cwinnow_delivery_set_run(0)
    }
}
