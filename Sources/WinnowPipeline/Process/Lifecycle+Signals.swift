// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// The end of the process by a signal, or a fault that may be mended.
extension Lifecycle {
    /// Does what the handlers of signals ask for, for as long as the process lives: on the thread of ``Ending``.
    static func answerSignals() {
        while true {
            let request = cwinnow_ending_wait()
            // A handler of the program's own may mend what raised the signal.
            let isEnd = request.signal != 0 || request.is_end
            EndWalk.run(to: isEnd ? .killed : .mendable, isWorkerAlive: !request.is_worker_halted)
            cwinnow_ending_answer(request)
        }
    }
}
