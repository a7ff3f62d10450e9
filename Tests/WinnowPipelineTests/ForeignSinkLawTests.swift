// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support
import Testing
import Winnow
import WinnowCore
import WinnowPipeline

/// What holds for every sink, of those of the program's own, which get their records from workers of their
/// own: order, an account, an end of what sinks log, and bounds.
@Suite(.exclusivePipeline)
struct ForeignSinkLawTests {
    private let log = Log("tests.foreign")
    /// With callers who wait for the worker, however long it waits itself.
    private static let patient = DeliveryMode.deferred(
        patience: 10_000_000_000,
        ringByteCount: DeliveryMode.defaultRingByteCount
    )

    private func install(_ routes: [SinkRoute], as delivery: DeliveryMode = .deferred) {
        Pipeline.install(
            RoutingPlan(routes: routes, privacy: .redact, delivery: delivery)
        )
    }

    private func route(
        to sink: any Sink,
        named name: String = "own",
        levels: LevelSet = .all,
        capacity: Int = 4 << 20
    ) -> SinkRoute {
        SinkRoute(name: name, slot: .shared(by: sink), levels: levels, capacity: capacity)
    }

    @Test
    func `two that log do not feed each other`() {
        let (first, second) = (Log("first"), Log("second"))
        let saying = OwnSink { first.notice("wrote \($0)") }
        let echoing = OwnSink { second.notice("saw \($0)") }
        install([route(to: saying, named: "a"), route(to: echoing, named: "b")])
        log.notice("x")
        while saying.messages.count < 2 || echoing.messages.count < 2 { usleep(1_000) }
        #expect(Pipeline.flush(within: patience))
        #expect(saying.messages == ["x", "saw x"])
        #expect(echoing.messages == ["x", "wrote x"])
        for account in Pipeline.accounts {
            #expect(account.accepted == account.delivered + account.lostTotal)
        }
    }

    @Test(arguments: [false, true])
    func `one that does not return from its flush keeps no flush and no new start`(
        isDeferred: Bool
    ) {
        let gate = Gate()
        let isWritten = Counter()
        let own = OwnSink(
            { _ in isWritten.increment() },
            onFlush: { if isWritten.value > 0 { gate.pass() } }
        )
        install([route(to: own)], as: isDeferred ? .deferred : .immediate)
        log.notice("x")
        while own.messages.isEmpty { usleep(1_000) }
        #expect(!Pipeline.flush(within: 1_000_000))
        install([route(to: OwnSink(), named: "next")])
        log.notice("y")
        gate.open()
        #expect(own.messages == ["x"])
    }

    @Test
    func `records of two routes come to it in order`() {
        let gate = Gate()
        let own = OwnSink { _ in gate.pass() }
        install([
            route(to: own, named: "severe", levels: .upTo(.warning)),
            route(to: own, named: "others", levels: [.notice, .info]),
        ])
        for number in 0..<500 {
            if number % 3 == 0 { log.error("\(number)") } else { log.notice("\(number)") }
        }
        gate.open()
        #expect(Pipeline.flush(within: patience))
        let isInOrder = own.messages == (0..<500).map(String.init)
        #expect(isInOrder)
    }

    @Test
    func `records of two routes come in order to one that keeps pace`() {
        let own = OwnSink()
        install(
            [
                route(to: own, named: "severe", levels: .upTo(.warning)),
                route(to: own, named: "others", levels: [.notice, .info]),
            ],
            as: Self.patient
        )
        let count = 50_000
        for number in 0..<count {
            if number % 2 == 0 { log.error("\(number)") } else { log.notice("\(number)") }
            if number % 64 == 0 { usleep(1) }
        }
        #expect(Pipeline.flush(within: patience))
        let isInOrder = own.messages == (0..<count).map(String.init)
        #expect(isInOrder)
    }

    @Test
    func `what it has logged comes to the others before it gets its next record`() {
        let log = log
        let gate = Gate()
        let own = OwnSink {
            if $0 == "9" { return gate.pass() }
            log.notice("wrote \($0)")
        }
        let other = ScriptedSink()
        install([
            route(to: own), SinkRoute(name: "other", slot: SinkSlot(other), levels: .all),
        ])
        for number in 0..<10 { log.error("\(number)") }
        while other.programEntries.count < 19 { usleep(1_000) }
        let written = other.programEntries.map(\.message).filter { $0.hasPrefix("wrote ") }
        #expect(written == (0..<9).map { "wrote \($0)" })
        gate.open()
        #expect(Pipeline.flush(within: patience))
    }

    @Test
    func `what it logs of an earlier configuration's records does not come back to it`() {
        let log = log
        let gate = Gate()
        let own = OwnSink {
            gate.pass()
            if $0 == "x" { log.notice("wrote x") }
        }
        install([route(to: own)])
        log.error("x")
        let opening = StartedThread {
            while Pipeline.accounts.first?.name != "next" { usleep(1_000) }
            gate.open()
        }
        install([route(to: own, named: "next")])
        opening.join()
        log.error("y")
        #expect(Pipeline.flush(within: patience))
        #expect(own.messages == ["x", "y"])
    }

    @Test
    func `a change of the way of delivery loses nothing and keeps each thread's order`() async {
        let log = log
        let own = OwnSink { if $0.hasSuffix("7") { usleep(10) } }
        install([route(to: own)], as: Self.patient)
        let isDone = Counter()
        await withTaskGroup { group in
            for thread in 0..<4 {
                group.addTask {
                    for number in 0..<5_000 { log.error("\(thread) \(number)") }
                    isDone.increment()
                }
            }
            group.addTask {
                while isDone.value < 4 {
                    install([route(to: own)], as: .immediate)
                    install([route(to: own)], as: Self.patient)
                }
            }
        }
        #expect(Pipeline.flush(within: patience))
        let messages = own.messages
        #expect(messages.count == 20_000)
        for thread in 0..<4 {
            let isInOrder =
                messages.filter { $0.hasPrefix("\(thread) ") }
                == (0..<5_000).map { "\(thread) \($0)" }
            #expect(isInOrder)
        }
    }

    @Test
    func `of one that hangs after an error the others are told`() async throws {
        let gate = Gate()
        let count = Counter()
        let hanging = OwnSink { _ throws(SinkError) in
            if count.increment() == 1 { throw SinkError(.busy) }
            gate.pass()
        }
        let other = ScriptedSink()
        install([
            route(to: hanging, named: "hanging"),
            SinkRoute(name: "other", slot: SinkSlot(other), levels: .all),
        ])
        let isTold: () -> Bool = {
            other.entries.contains { $0.message.hasPrefix("hanging has taken no records for ") }
        }
        while !isTold() {
            log.notice("on and on")
            try await Task.sleep(for: .milliseconds(20))
        }
        gate.open()
        #expect(Pipeline.flush(within: patience))
    }

    @Test
    func `a record that is larger than its queue comes to one that is idle`() {
        let own = OwnSink()
        install([route(to: own)], as: .deferred(patience: 0, ringByteCount: 16 << 20))
        let large = String(repeating: "x", count: 6 << 20)
        log.info("\(large)")
        #expect(Pipeline.flush(within: patience))
        #expect(own.messages.map(\.utf8.count) == [6 << 20])
        #expect(Pipeline.accounts[0].lostTotal == 0)
    }

    @Test
    func `a flush ends while others log without end, and the sink is flushed meanwhile`() async {
        let log = log
        let own = OwnSink { _ in usleep(200) }
        let isEnded = Counter()
        install([route(to: own)], as: .deferred(patience: 0, ringByteCount: 64 * 1_024))
        let threads = (0..<2).map { _ in
            StartedThread {
                while isEnded.value == 0 { log.error("on and on") }
            }
        }
        defer { threads.forEach { $0.join() } }
        while Pipeline.accounts[0].queued < 5_000 { usleep(1_000) }
        #expect(Pipeline.flush(within: patience))
        let before = own.flushes
        #expect(Pipeline.accounts[0].queued > 0)
        while own.flushes < before + 2 { usleep(1_000) }
        #expect(Pipeline.accounts[0].queued > 0)
        isEnded.increment()
    }

    @Test
    func `callers wait for it as long as the overflow policy says`() {
        let own = OwnSink { if $0.hasSuffix("500") { usleep(200_000) } }
        install([route(to: own, capacity: 16 * 1_024)], as: Self.patient)
        for number in 0..<3_000 { log.error("\(number)") }
        #expect(Pipeline.flush(within: patience))
        #expect(Pipeline.accounts[0].delivered == 3_000)
        #expect(own.messages == (0..<3_000).map(String.init))
    }

    @Test
    func `a flush waits for what a sink has logged and is still inside`() {
        let isInside = Counter()
        let gate = Gate()
        let own = OwnSink { [log] text in
            guard text == "of the program" else { return }
            log.error("of a sink")
            isInside.increment()
            gate.pass()
        }
        let other = ScriptedSink()
        install(
            [route(to: own), SinkRoute(name: "other", slot: SinkSlot(other), levels: .all)],
            as: .immediate
        )
        let caller = StartedThread { [log] in log.error("of the program") }
        while isInside.value == 0 { usleep(1_000) }
        #expect(!Pipeline.flush(within: 50_000_000))
        gate.open()
        #expect(Pipeline.flush(within: 10_000_000_000))
        #expect(other.programEntries.map(\.message) == ["of the program", "of a sink"])
        caller.join()
    }

    @Test
    func `a flush within a message waits for nothing that only its thread can deliver`() {
        let own = OwnSink { [log] text in if text == "inner" { log.error("of a sink") } }
        let other = ScriptedSink()
        install(
            [route(to: own), SinkRoute(name: "other", slot: SinkSlot(other), levels: .all)],
            as: .immediate
        )
        func text() -> String {
            log.error("inner")
            return Pipeline.flush(within: 10_000_000_000) ? "flushed" : "not flushed"
        }
        log.error("\(text())")
        #expect(other.programEntries.map(\.message) == ["inner", "of a sink", "flushed"])
    }

    @Test
    func `a flush is over when what was inside a sink does not wait either`() {
        let isInside = Counter()
        let gate = Gate()
        let own = OwnSink { _ throws(SinkError) in
            isInside.increment()
            gate.pass()
            if isInside.value < 3 { throw SinkError(.unavailable) }
        }
        install([route(to: own)], as: .immediate)
        let caller = StartedThread { [log] in log.error("of the program") }
        while isInside.value == 0 { usleep(1_000) }
        let flusher = StartedThread { [own] in
            #expect(Pipeline.flush(within: 10_000_000_000))
            #expect(own.messages == ["of the program"])
        }
        usleep(20_000)
        gate.open()
        caller.join()
        flusher.join()
    }
}
