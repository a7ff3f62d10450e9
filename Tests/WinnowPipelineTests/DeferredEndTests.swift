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
        let route = SinkRoute(name: "scripted", slot: SinkSlot(sink), levels: .all)
        Pipeline.install(
            RoutingPlan(routes: [route], privacy: .redact, delivery: .deferred)
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
            #expect(account.accepted == 200)
            #expect(account.delivered > 1 && account.delivered < 200)
            #expect(account.lost[.exit]?[.error] == account.accepted - account.delivered)
            #expect(Pipeline.accepted == 200)
        }
    }

    @Test
    func `a message that was made before its call is counted once`() async {
        await #expect(processExitsWith: .success) {
            let stuck = OwnSink { _ in while true { sleep(60) } }
            let sinks: [any Sink] = [ScriptedSink(), ScriptedSink(), stuck]
            let routes = sinks.enumerated().map {
                SinkRoute(name: "sink \($0)", slot: SinkSlot($1), levels: .all)
            }
            Pipeline.install(
                RoutingPlan(routes: routes, privacy: .redact, delivery: .deferred)
            )
            let log = Log("tests.end")
            log.error("of the call")
            let message: LogMessage = "made before"
            log.error(message)
            Pipeline.end()
            #expect(Pipeline.accounts.map(\.accepted) == [2, 2, 2])
            #expect(Pipeline.accounts.map(\.delivered) == [2, 2, 0])
            #expect(Pipeline.accounts.map(\.lostTotal) == [0, 0, 2])
        }
    }

    @Test
    func `of a worker that stays in a sink the record there is counted as lost`() async {
        await #expect(processExitsWith: .success) {
            let account = Self.end(after: 200) { if $0 == "10" { sleep(60) } }
            #expect(account.accepted == 200)
            #expect(account.delivered == 10)
            #expect(account.lost[.exit]?[.error] == 190)
            #expect(Pipeline.accepted == 200)
        }
    }

    @Test(arguments: [false, true])
    func `what the worker has not brought to the sinks behind is counted there`(
        isBack: Bool
    ) async {
        await #expect(processExitsWith: .success) { [isBack = isBack as Bool] in
            let isLogged = Counter()
            let gate = Gate()
            let sinks = [ScriptedSink(), ScriptedSink(), ScriptedSink()]
            sinks[1].onWrite { entry in
                while isLogged.value == 0 { usleep(1_000) }
                if entry.message == "10" { gate.pass() }
            }
            let routes = sinks.enumerated().map {
                SinkRoute(name: "sink \($0)", slot: SinkSlot($1), levels: .all)
            }
            Pipeline.install(
                RoutingPlan(routes: routes, privacy: .redact, delivery: .deferred)
            )
            for number in 0..<200 { Log("tests.end").error("\(number)") }
            isLogged.increment()
            Pipeline.end()
            if isBack {
                // It is too late, and changes nothing.
                gate.open()
                usleep(100_000)
            }
            let accounts = Pipeline.accounts
            #expect(accounts.map(\.accepted) == [200, 200, 200])
            #expect(accounts.map(\.delivered) == [11, 10, 10])
            #expect(accounts.map { $0.lost[.exit]?[.error] } == [189, 190, 190])
            #expect(accounts.map(\.queued) == [0, 0, 0])
        }
    }

    /// Has the process end while a call has its ring open, and the call go on then.
    private static func endWithinCall(_ routes: [SinkRoute], _ begin: () -> Void = {}) {
        Pipeline.install(
            RoutingPlan(routes: routes, privacy: .redact, delivery: .deferred)
        )
        let log = Log("tests.end")
        begin()
        let isOpen = Counter()
        let gate = Gate()
        let thread = StartedThread {
            func slow() -> String {
                isOpen.increment()
                gate.pass()
                return "open"
            }
            log.error("first of the thread")
            log.error("\(slow())")
        }
        while isOpen.value == 0 { usleep(1_000) }
        Pipeline.end()
        gate.open()
        thread.join()
    }

    @Test
    func `a call that is open over the end is delivered by the worker that waits for it`() async {
        await #expect(processExitsWith: .success) {
            let sink = ScriptedSink()
            Self.endWithinCall([SinkRoute(name: "sink", slot: SinkSlot(sink), levels: .all)])
            while !sink.programEntries.contains(where: { $0.message == "open" }) { usleep(1_000) }
            let account = Pipeline.accounts[0]
            #expect(account.accepted == 2 && account.delivered == 2)
        }
    }

    @Test
    func `what is logged behind a start behind the end finds a reader`() async {
        await #expect(processExitsWith: .success) {
            let isInside = Counter()
            let stuck = ScriptedSink()
            stuck.onWrite { _ in
                isInside.increment()
                while true { sleep(60) }
            }
            Self.endWithinCall([SinkRoute(name: "stuck", slot: SinkSlot(stuck), levels: .all)]) {
                Log("tests.end").error("stays")
                while isInside.value == 0 { usleep(1_000) }
            }
            let next = ScriptedSink()
            Pipeline.install(
                RoutingPlan(
                    routes: [SinkRoute(name: "next", slot: SinkSlot(next), levels: .all)],
                    privacy: .redact,
                    delivery: .deferred
                )
            )
            for _ in 0..<5 { Log("tests.end").error("behind") }
            #expect(next.programEntries.count == 5)
        }
    }
}
