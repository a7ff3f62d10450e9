// SPDX-License-Identifier: Apache-2.0

import CWinnow
import Glibc
import Support
import Testing
import Winnow
import WinnowCore
import WinnowPipeline

/// What sinks of the program's own are told, and what is told of them, where one does not return.
@Suite(.exclusivePipeline)
struct ForeignSinkReportTests {
    private static let log = Log("tests.foreign")

    private static func route(
        to sink: any Sink,
        named name: String = "own",
        capacity: Int = 4 << 20
    ) -> SinkRoute {
        SinkRoute(name: name, slot: .shared(by: sink), levels: .all, capacity: capacity)
    }

    private static func install(_ routes: [SinkRoute], as delivery: DeliveryMode = .immediate) {
        Pipeline.install(
            RoutingPlan(routes: routes, privacy: .redact, delivery: delivery)
        )
    }

    private static func isLossReport(_ text: String) -> Bool { text.hasPrefix("lost ") }

    @Test
    func `one that stays in a record keeps no other from the report of its losses`() {
        let gate = Gate()
        let stuck = OwnSink { _ in gate.pass() }
        let busy = OwnSink { text throws(SinkError) in
            if !Self.isLossReport(text) { throw SinkError(.busy) }
        }
        let routes = [Self.route(to: stuck), Self.route(to: busy)]
        Self.install(routes, as: .deferred)
        Self.log.error("of the program")
        while Pipeline.accounts[1].queued == 0 { usleep(1_000) }
        let ending = StartedThread { Distribution.abandon(routes, cause: .exit, until: .max) }
        while !busy.messages.contains(where: Self.isLossReport) { usleep(1_000) }
        #expect(busy.flushes > 0)
        gate.open()
        ending.join()
    }

    @Test
    func `the report that one does not return from is told to another`() async {
        await #expect(processExitsWith: .success) {
            let isInside = Counter()
            let own = OwnSink { text throws(SinkError) in
                if text == "refused" { throw SinkError(.rejected) }
                if !Self.isLossReport(text) { return }
                isInside.increment()
                while true { sleep(60) }
            }
            let other = ScriptedSink()
            Self.install([
                Self.route(to: own),
                SinkRoute(name: "other", slot: SinkSlot(other), levels: .all),
            ])
            _ = StartedThread {
                Self.log.error("refused")
                Self.log.error("taken")
            }
            while isInside.value == 0 { usleep(1_000) }
            Pipeline.end()
            #expect(other.entries.contains { $0.message.hasPrefix("own: lost 1 record (1 error)") })
        }
    }

    @Test
    func `a message of Winnow's own finds room where records of the program do not`() {
        let gate = Gate()
        let own = OwnSink { _ in gate.pass() }
        Self.install([Self.route(to: own, capacity: 4 * 1_024)], as: .deferred)
        while Pipeline.accounts[0].lostTotal == 0 { Self.log.error("of the program") }
        News.announce("of Winnow", level: .warning)
        gate.open()
        #expect(Pipeline.flush(within: patience))
        #expect(own.messages.contains("of Winnow"))
    }

    @Test
    func `what the sinks before have lost is told, also after a start within one of them`() {
        let refusing = OwnSink { text throws(SinkError) in
            if text == "of the program" { throw SinkError(.rejected) }
        }
        let next = ScriptedSink()
        let starting = OwnSink { _ in
            Self.install([SinkRoute(name: "next", slot: SinkSlot(next), levels: .all)])
        }
        Self.install([Self.route(to: refusing, named: "before"), Self.route(to: starting)])
        Self.log.error("of the program")
        #expect(Pipeline.flush(within: patience))
        #expect(refusing.messages.contains { $0.hasPrefix("lost 1 record (1 error)") })
    }

    @Test
    func `a flush that may not wait has it flushed`() async {
        await #expect(processExitsWith: .success) {
            let own = OwnSink()
            Self.install([Self.route(to: own)])
            Self.log.error("of the program")
            // Each attempt waits for 20 ms; a busy machine may give the worker no processor for much longer.
            let isFlushed = (0..<1_000).contains { _ in Pipeline.flush(within: 0) }
            #expect(isFlushed && own.flushes > 0)
        }
    }

    @Test
    func `the report that one is in when a start gives it up is told once`() async {
        await #expect(processExitsWith: .success) {
            let isInside = Counter()
            let gate = Gate()
            let own = OwnSink { text throws(SinkError) in
                if text == "refused" { throw SinkError(.rejected) }
                guard text.contains("lost 1 record"), isInside.increment() == 1 else { return }
                gate.pass()
            }
            Self.install([Self.route(to: own)], as: .deferred)
            Self.log.error("refused")
            while isInside.value == 0 { usleep(1_000) }
            Self.install([Self.route(to: own)], as: .deferred)
            gate.open()
            #expect(Pipeline.flush(within: patience))
            #expect(own.messages.filter { $0.contains("lost 1 record") }.count == 1)
        }
    }

    @Test
    func `one hears of each that does not return, or standard error does`() async throws {
        let outcome = await #expect(
            processExitsWith: .success,
            observing: [\.standardErrorContent]
        ) {
            let stuck = (0..<4).map { _ in OwnSink { _ in while true { sleep(60) } } }
            let good = OwnSink()
            Self.install(
                stuck.enumerated().map { Self.route(to: $1, named: "stuck \($0)") }
                    + [Self.route(to: good, named: "good")],
                as: .deferred
            )
            Self.log.error("of the program")
            while good.messages.isEmpty { usleep(1_000) }
            Pipeline.end()
            for message in good.messages {
                _ = unsafe (message + "\n").withCString { unsafe write(2, $0, strlen($0)) }
            }
        }
        let text = try String(decoding: #require(outcome).standardErrorContent, as: UTF8.self)
        for number in 0..<4 { #expect(text.contains("stuck \(number): lost 1 record (1 error)")) }
    }

    @Test
    func `an end by a signal waits for the reports of an exit`() async {
        await #expect(processExitsWith: .success) {
            let isInside = Counter()
            let gate = Gate()
            let busy = OwnSink { _ throws(SinkError) in throw SinkError(.busy) }
            let told = ScriptedSink()
            told.onWrite { entry in
                guard entry.message.hasPrefix("busy: lost") else { return }
                isInside.increment()
                gate.pass()
            }
            Self.install([
                Self.route(to: busy, named: "busy"),
                SinkRoute(name: "other", slot: SinkSlot(told), levels: .all),
            ])
            Self.log.error("of the program")
            let first = StartedThread { Pipeline.end() }
            while isInside.value == 0 { usleep(1_000) }
            let second = Counter()
            let other = StartedThread {
                Pipeline.end()
                second.increment()
            }
            usleep(50_000)
            #expect(second.value == 0)
            gate.open()
            first.join()
            other.join()
            #expect(told.entries.contains { $0.message.hasPrefix("busy: lost") })
        }
    }

    @Test
    func `what one logs in its flush at the end comes to another from the other's worker`() async {
        await #expect(processExitsWith: .success) {
            let flushers = Guarded<Set<Int32>>([])
            let writers = Guarded<Set<Int32>>([])
            let saying = OwnSink(onFlush: {
                flushers.withLock { _ = $0.insert(cwinnow_thread_id()) }
                Self.log.error("of a sink")
            })
            let other = OwnSink { _ in writers.withLock { _ = $0.insert(cwinnow_thread_id()) } }
            Self.install(
                [Self.route(to: saying, named: "saying"), Self.route(to: other, named: "other")],
                as: .deferred
            )
            Self.log.error("of the program")
            Pipeline.end()
            while !other.messages.contains("of a sink") { usleep(1_000) }
            let others = flushers.withLock { $0 }
            #expect(writers.withLock { $0.isDisjoint(with: others) })
        }
    }

    /// A sink that keeps messages back until it is flushed.
    private final class HoldingSink: Sink {
        private let texts = Guarded<(held: [String], out: [String])>(([], []))

        var messages: [String] { texts.withLock { $0.out } }

        func write(_ record: borrowing Record) {
            let message = record.message
            texts.withLock { $0.held.append(message) }
        }

        func flush() {
            texts.withLock {
                $0.out += $0.held
                $0.held = []
            }
        }
    }

    @Test
    func `a record that one refuses in a late handler of the exit is told`() async {
        await #expect(processExitsWith: .success) {
            let own = OwnSink { text throws(SinkError) in
                if text == "refused" { throw SinkError(.rejected) }
            }
            Self.install([Self.route(to: own)])
            Self.log.error("before")
            Pipeline.end()
            Self.log.error("refused")
            #expect(own.messages.contains { $0.hasPrefix("lost 1 record (1 error)") })
        }
    }

    @Test(arguments: [false, true])
    func `what is logged in a late handler of the exit is not held back`(isDeferred: Bool) async {
        await #expect(processExitsWith: .success) { [isDeferred = isDeferred as Bool] in
            let own = HoldingSink()
            Self.install([Self.route(to: own)], as: isDeferred ? .deferred : .immediate)
            Self.log.error("before")
            Pipeline.end()
            Self.log.error("behind")
            #expect(own.messages == ["before", "behind"])
        }
    }

    @Test
    func `what is logged behind the end goes to no ring that nobody reads any more`() async {
        await #expect(processExitsWith: .success) {
            let isInside = Counter()
            let stuck = ScriptedSink()
            stuck.onWrite { _ in
                isInside.increment()
                while true { sleep(60) }
            }
            let other = ScriptedSink()
            Self.install(
                [
                    SinkRoute(name: "other", slot: SinkSlot(other), levels: .all),
                    SinkRoute(name: "stuck", slot: SinkSlot(stuck), levels: .all),
                ],
                as: .deferred
            )
            Self.log.error("first")
            while isInside.value == 0 { usleep(1_000) }
            Self.log.error("second")
            Pipeline.end()
            Self.log.error("behind")
            #expect(other.programEntries.contains { $0.message == "behind" })
            let account = Pipeline.accounts[0]
            #expect(account.accepted == account.delivered + account.lostTotal)
        }
    }
}
