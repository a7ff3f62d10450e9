// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support
import Testing
import Winnow
import WinnowPipeline

/// What becomes at the end of the process of records that the worker was about to deliver.
@Suite(.exclusivePipeline)
struct DeferredEndTests {
    /// Logs so many records, of which the worker finds all but the first in one round, and ends the
    /// log; the body runs in the sink with each.
    private static func end(
        after count: Int,
        _ body: @escaping @Sendable (String) -> Void
    ) -> SinkStatus {
        let sink = ScriptedSink()
        let isLogged = Counter()
        sink.onWrite { entry in
            while isLogged.value == 0 { usleep(1_000) }
            body(entry.message)
        }
        let route = Route(name: "scripted", outlet: Outlet(sink), levels: .all)
        Pipeline.install(
            Topology(routes: [route], privacy: .redact, delivery: .deferred) { _ in .all }
        )
        for number in 0..<count { Log("tests.end").error("\(number)") }
        isLogged.increment()
        Pipeline.end()
        return Pipeline.accounts[0]
    }

    @Test
    func `a worker that comes back leaves an exact account, and no number is given in vain`()
        async
    {
        await #expect(processExitsWith: .success) {
            let account = Self.end(after: 200) { _ in usleep(20_000) }
            // One is in no account where the worker comes back too late.
            #expect(account.accepted == 200 || account.accepted == 199)
            #expect(account.delivered > 1 && account.delivered < 200)
            #expect(account.lost[.exit]?[.error] == account.accepted - account.delivered)
            #expect(Pipeline.accepted == 200)
        }
    }

    @Test
    func `of a worker that stays in a sink the record there is the only one in no account`()
        async
    {
        await #expect(processExitsWith: .success) {
            let account = Self.end(after: 200) { if $0 == "10" { sleep(60) } }
            #expect(account.accepted == 199)
            #expect(account.delivered == 10)
            #expect(account.lost[.exit]?[.error] == 189)
            #expect(Pipeline.accepted == 200)
        }
    }
}
