// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// The end of the process by a signal, or a fault that may be mended.
extension Lifecycle {
    /// Does what the handlers of signals ask for, for as long as the process lives: on the thread of ``Ending``.
    static func answerSignals() {
        while true {
            let request = cwinnow_ending_wait()
            if request.signal != 0 {
                end(by: .killed)
            } else {
                if request.is_end {
                    let isWorkerAlive = !request.is_worker_halted
                    deliverForLast(by: .killed, isWorkerAlive: isWorkerAlive)
                } else {
                    Registration.handOver(at: .mendable)
                    CallSite.reportSuppressed()
                    // A handler of the program's own may mend what raised the signal.
                    deliverForNow(isWorkerAlive: !request.is_worker_halted)
                }
            }
            cwinnow_ending_answer(request)
        }
    }
}
