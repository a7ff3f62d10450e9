// SPDX-License-Identifier: Apache-2.0

import CCalls
import Winnow

/// Logs through Winnow, to where its environment says; what ``Winnow/Winnow/status`` says at the end of
/// records that did not get there counts as failed.
@main
enum WinnowCalls {
    static func main() {
        let ran = unsafe ccalls_run { text in
            unsafe Log.notice(LogMessage(verbatim: text.map { unsafe String(cString: $0) } ?? ""))
            return false
        }
        guard ran else { fatalError("FAULT_COUNTS names no file") }
        Winnow.flush(deadline: .seconds(2))
        for sink in Winnow.status.sinks { ccalls_add_failed(sink.lostTotal + sink.queued) }
    }
}
