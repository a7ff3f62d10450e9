// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// What is registered with the system: the end of the process, and its duplication by fork(2).
enum Lifecycle {
    /// Registers what runs at exit and around a fork, once.
    static func begin() {
        _ = registered
    }

    private static let registered: Bool = {
        unsafe Ending.body = { answerSignals() }
        unsafe RingReader.body = { DeferredWorker.run() }
        unsafe UntoldChild.adopt = { adoptUntoldChild() }
        unsafe SinkSlot.serve = { SinkWorker.serve(on: $0) }
        unsafe OwedRest.send = { SinkSlot.sharedWorker.wake() }
        _ = LastWords.standardError
        prepareForFork()
        for _ in 0..<exitLimit { _ = cwinnow_at_exit { endAtExit() } }
        _ = cwinnow_at_fork({ beforeFork() }, { afterForkInParent() }, { afterForkInChild() })
        return true
    }()

    /// How many threads may call exit(3) at a time.
    ///
    /// Before glibc 2.41, a second thread does not wait for the first, but runs the next handler of the list;
    /// if there is none, it ends the process at once.
    private static let exitLimit = 4

    private static func endAtExit() {
        if cwinnow_process_is_untold_child() { endUntoldChild() } else { EndWalk.run(to: .exit) }
    }

    /// Gives a child that nobody told of its fork accounts and memory of its own, before it logs: it delivers at once.
    private static func adoptUntoldChild() {
        _ = cwinnow_process_id_find()
        unsafe forgetParent(keeping: nil)
        Recorder.leave()
        unsafe ThreadState.known?.pointee.leaveRing()
    }

    /// Ends a child that nobody told of its fork: it would wait for threads that only its parent has.
    private static func endUntoldChild() {
        // What lies in its parent's file is its parent's: it has logged nothing itself.
        guard !cwinnow_delivery_is_parents() else { return }
        // Without a lock, which a thread of the parent may have held.
        guard cwinnow_ending_has_unread() || cwinnow_ending_waiting() > 0 else { return }
        LastWords.say(
            "a child of _Fork or clone ends, which has no worker: what it has logged is lost"
        )
        let ring = unsafe ThreadState.known?.pointee.ring
        let address = UInt(bitPattern: ring)
        // With a bound, as a thread of the parent may have held what this needs.
        DetachedCall.run(until: cwinnow_clock_monotonic() + Bounds.End.untoldChild) {
            _ = cwinnow_process_id_find()
            unsafe forgetParent(keeping: UnsafeMutablePointer(bitPattern: address))
            EndWalk.close(within: Bounds.End.reportOfUntoldChild)
        }
    }
}
