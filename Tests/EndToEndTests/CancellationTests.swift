// SPDX-License-Identifier: Apache-2.0

import Testing

/// Programs that cancel threads which log, pthread_cancel(3).
struct CancellationTests {
    @Test(arguments: ["immediate", "deferred"])
    func `a first record whose thread is cancelled leaves the log to others`(
        delivery: String
    ) throws {
        let outcome = try Program.run(
            ["cancelled-thread", "say=behind", "flush=60", "no-status"],
            environment: ["WINNOW_DELIVERY": delivery]
        )
        #expect(outcome.status == 0)
        #expect(outcome.log.contains { $0.hasSuffix("] cancelled") })
        #expect(outcome.log.contains { $0.hasSuffix("] behind") })
    }
}
