// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support
import Testing
import Winnow
import WinnowCore
import WinnowPipeline

/// The end of a process whose sinks are the program's own: slow, away, or stuck.
@Suite(.exclusivePipeline)
struct ForeignSinkEndTests {
    private static let log = Log("tests.foreign")

    private static func install(
        _ routes: [SinkRoute],
        as delivery: DeliveryMode = .deferred
    ) {
        Pipeline.install(
            RoutingPlan(routes: routes, privacy: .redact, delivery: delivery)
        )
    }

    private static func route(
        to sink: any Sink,
        named name: String = "own",
        levels: LevelSet = .all,
        capacity: Int = 4 << 20
    ) -> SinkRoute {
        SinkRoute(name: name, slot: .shared(by: sink), levels: levels, capacity: capacity)
    }

    @Test(arguments: [300, 3_000])
    func `others log on while one is slow, and each record is delivered or counted`(
        waiting: Int
    ) async {
        await #expect(processExitsWith: .success) { [waiting = waiting as Int] in
            let own = OwnSink { _ in usleep(1_000) }
            Self.install([Self.route(to: own)])
            for number in 0..<waiting { Self.log.error("\(number)") }
            for _ in 0..<2 {
                _ = StartedThread {
                    while true {
                        Self.log.error("on and on")
                        usleep(500)
                    }
                }
            }
            usleep(50_000)
            Pipeline.end()
            // The others are held back for a moment now.
            let account = Pipeline.accounts[0]
            #expect(account.queued == 0)
            #expect(account.accepted == account.delivered + account.lostTotal)
            #expect(account.accepted == Pipeline.accepted)
        }
    }

    @Test
    func `one that is back just before gets all that waits`() async {
        await #expect(processExitsWith: .success) {
            let isBack = Counter()
            let own = OwnSink { _ throws(SinkError) in
                if isBack.value == 0 { throw SinkError(.unavailable) }
            }
            Self.install([Self.route(to: own)])
            for number in 0..<100 { Self.log.error("\(number)") }
            // By then its worker pauses for half a second after each attempt in vain.
            sleep(4)
            isBack.increment()
            Pipeline.end()
            #expect(own.messages.count >= 100 && Pipeline.accounts[0].lostTotal == 0)
        }
    }

    @Test
    func `the losses of one are told to another that does not return, and the end comes`() async {
        await #expect(processExitsWith: .success) {
            let stuck = OwnSink { _ in while true { sleep(60) } }
            let idle = OwnSink { _ in while true { sleep(60) } }
            Self.install([
                Self.route(to: stuck, named: "stuck"),
                Self.route(to: idle, named: "idle", levels: .upTo(.warning)),
            ])
            for number in 0..<100 { Self.log.notice("\(number)") }
            Pipeline.end()
            let account = Pipeline.accounts[0]
            #expect(account.accepted == 100 && account.lost[.exit]?[.notice] == 100)
        }
    }

    @Test
    func `the others get what lies in the rings, however long the worker may wait for one`() async {
        await #expect(processExitsWith: .success) {
            let stuck = OwnSink { _ in while true { sleep(60) } }
            let other = ScriptedSink()
            Self.install(
                [
                    Self.route(to: stuck, named: "stuck", capacity: 16 * 1_024),
                    SinkRoute(name: "other", slot: SinkSlot(other), levels: .all),
                ],
                as: .deferred(patience: 60_000_000_000, ringByteCount: 1 << 20)
            )
            for number in 0..<1_000 { Self.log.error("\(number)") }
            Pipeline.end()
            #expect(other.programEntries.map(\.message) == (0..<1_000).map(String.init))
            for account in Pipeline.accounts {
                #expect(account.accepted == 1_000)
                #expect(account.accepted == account.delivered + account.lostTotal)
            }
        }
    }

    /// Has a thread, which is returned, log a record that the sink keeps, and the process end.
    private static func endWithOneInside(
        _ routes: [SinkRoute],
        _ isInside: Counter
    ) -> StartedThread {
        install(routes, as: .immediate)
        for number in 0..<10 { log.error("\(number)") }
        let thread = StartedThread { log.error("stay") }
        while isInside.value == 0 { usleep(1_000) }
        Pipeline.end()
        return thread
    }

    @Test
    func `what a thread has brought to none of them when it stays in one is counted`() async {
        await #expect(processExitsWith: .success) {
            let isInside = Counter()
            let gate = Gate()
            let stuck = OwnSink { text in
                if text == "stay" {
                    isInside.increment()
                    gate.pass()
                }
            }
            let behind = OwnSink()
            let builtIn = ScriptedSink()
            let thread = Self.endWithOneInside(
                [
                    Self.route(to: stuck, named: "stuck"),
                    Self.route(to: behind, named: "behind"),
                    SinkRoute(name: "built in", slot: SinkSlot(builtIn), levels: .all),
                ],
                isInside
            )
            let exact = Pipeline.accounts
            #expect(exact.map(\.accepted) == [11, 11, 11])
            #expect(exact.map(\.delivered) == [10, 10, 11])
            #expect(exact.map { $0.lost[.exit]?[.error] } == [1, 1, nil])
            #expect(builtIn.programEntries.count == 11)
            // It comes back too late, and changes nothing.
            gate.open()
            thread.join()
            #expect(Pipeline.accounts.map(\.delivered) == [10, 10, 11])
            #expect(Pipeline.accounts.map(\.accepted) == [11, 11, 11])
            #expect(!behind.messages.contains("stay"))
        }
    }

    @Test(arguments: [false, true])
    func `what one has logged before it stays there is counted for the others`(
        isDeferred: Bool
    ) async {
        await #expect(processExitsWith: .success) { [isDeferred = isDeferred as Bool] in
            let stuck = OwnSink { _ in
                Self.log.error("of a sink")
                while true { sleep(60) }
            }
            let other = ScriptedSink()
            Self.install(
                [
                    Self.route(to: stuck, named: "stuck"),
                    SinkRoute(name: "other", slot: SinkSlot(other), levels: .all),
                ],
                as: isDeferred ? .deferred : .immediate
            )
            let thread = StartedThread { Self.log.error("of the program") }
            if isDeferred { thread.join() }
            while Pipeline.accepted < 2 { usleep(1_000) }
            let before = Pipeline.accounts
            #expect(before.allSatisfy { $0.accepted == $0.delivered + $0.queued })
            Pipeline.end()
            let accounts = Pipeline.accounts
            #expect(accounts.map(\.accepted) == [2, 2])
            #expect(accounts.map(\.delivered) == [0, 1])
            #expect(accounts.map { $0.lost[.exit]?[.error] } == [2, 1])
            #expect(other.programEntries.map(\.message) == ["of the program"])
        }
    }

    @Test
    func `what a thread was bringing to one that ends the thread is counted`() async {
        await #expect(processExitsWith: .success) {
            let isInside = Counter()
            let own = OwnSink { _ in
                Self.log.error("of a sink")
                isInside.increment()
                pthread_exit(nil)
            }
            let other = ScriptedSink()
            Self.install(
                [
                    Self.route(to: own),
                    SinkRoute(name: "other", slot: SinkSlot(other), levels: .all),
                ],
                as: .immediate
            )
            let thread = StartedThread { Self.log.error("of the program") }
            while isInside.value == 0 { usleep(1_000) }
            thread.join()
            // What was freed is used again.
            let more = (0..<64).map { "\($0)" + String(repeating: "x", count: 4_096) }
            Pipeline.end()
            let accounts = Pipeline.accounts
            #expect(more.count == 64)
            #expect(accounts.map(\.accepted) == [2, 2])
            #expect(accounts.map(\.delivered) == [0, 1])
            #expect(accounts.map { $0.lost[.exit]?[.error] } == [2, 1])
        }
    }

    @Test
    func `what waits for room is in the account, and in it once when the process ends`() async {
        await #expect(processExitsWith: .success) {
            let away = OwnSink { _ throws(SinkError) in throw SinkError(.unavailable) }
            Self.install(
                [Self.route(to: away, named: "away", capacity: 16 * 1_024)],
                as: .immediate
            )
            let text = String(repeating: "x", count: 6_000)
            Self.log.debug("\(text)")
            let threads = (0..<4).map { _ in StartedThread { Self.log.debug("\(text)") } }
            while Pipeline.accepted < 5 { usleep(1_000) }
            usleep(10_000)
            let waiting = Pipeline.accounts[0]
            #expect(waiting.accepted == Pipeline.accepted)
            #expect(waiting.accepted == waiting.queued + waiting.lostTotal)
            Pipeline.end()
            threads.forEach { $0.join() }
            let account = Pipeline.accounts[0]
            #expect(account.queued == 0 && account.accepted == Pipeline.accepted)
            #expect(account.accepted == account.delivered + account.lostTotal)
        }
    }
}
