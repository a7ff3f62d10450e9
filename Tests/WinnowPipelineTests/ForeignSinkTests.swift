// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support
import Testing
import Winnow
import WinnowCore
import WinnowPipeline

/// Sinks of the program's own, which may take long, or not return: the others have their records meanwhile.
@Suite(.exclusivePipeline)
struct ForeignSinkTests {
    private let log = Log("tests.foreign")

    private static func install(_ sinks: [any Sink], _ delivery: DeliveryMode) {
        let routes = sinks.enumerated().map {
            SinkRoute(name: "sink \($0)", slot: SinkSlot($1), levels: .all)
        }
        Pipeline.install(
            RoutingPlan(routes: routes, privacy: .redact, delivery: delivery)
        )
    }

    private func install(_ sinks: any Sink..., as delivery: DeliveryMode = .deferred) {
        Self.install(sinks, delivery)
    }

    private func awaitUntil(_ condition: () -> Bool) async throws {
        while !condition() { try await Task.sleep(for: .milliseconds(1)) }
    }

    private static let numbers = (0..<1_000).map(String.init)

    @Test
    func `one that does not return keeps no other from its records`() async throws {
        let gate = Gate()
        let stuck = OwnSink { _ in gate.pass() }
        let other = OwnSink()
        let builtIn = ScriptedSink()
        install(stuck, builtIn, other)
        for number in Self.numbers { log.error("\(number)") }
        try await awaitUntil { builtIn.entries.count == 1_000 && other.messages.count == 1_000 }
        #expect(builtIn.entries.map(\.message) == Self.numbers)
        #expect(other.messages == Self.numbers)
        let account = Pipeline.accounts[0]
        #expect(account.accepted == 1_000 && account.queued == 1_000)
        gate.open()
        #expect(Pipeline.flush(within: patience))
        #expect(stuck.messages == Self.numbers)
        #expect(Pipeline.accounts.map(\.delivered) == [1_000, 1_000, 1_000])
    }

    @Test
    func `what finds no room behind one that stands still is counted, and told when it moves`() {
        let gate = Gate()
        let stuck = OwnSink { _ in gate.pass() }
        let builtIn = ScriptedSink()
        let routes = [
            SinkRoute(name: "stuck", slot: SinkSlot(stuck), levels: .all, capacity: 32_768),
            SinkRoute(name: "other", slot: SinkSlot(builtIn), levels: .all),
        ]
        // With callers who find room, however long the worker waits.
        let delivery = DeliveryMode.deferred(patience: 50_000_000, ringByteCount: 4 << 20)
        Pipeline.install(
            RoutingPlan(routes: routes, privacy: .redact, delivery: delivery)
        )
        for number in Self.numbers { log.error("\(number) \(String(repeating: "x", count: 200))") }
        // The worker has been through when the other sink has all.
        while builtIn.programEntries.count < 1_000 { usleep(1_000) }
        let account = Pipeline.accounts[0]
        #expect(account.accepted == 1_000)
        #expect(account.queued > 50 && account.queued + account.lostTotal == 1_000)
        #expect(account.lost[.queueFull]?[.error] == account.lostTotal)
        gate.open()
        #expect(Pipeline.flush(within: patience))
        #expect(stuck.messages.count { $0.hasPrefix("lost ") } == 1)
        #expect(Pipeline.accounts[0].delivered + account.lostTotal == 1_000)
    }

    @Test
    func `records beside the ring, and what a sink logs itself, come to it in order`() {
        let own = OwnSink()
        let log = log
        let logging = OwnSink { if $0 == "0" { log.notice("from the sink") } }
        // With callers who wait for the worker, however long a busy machine keeps it.
        let patient = DeliveryMode.deferred(
            patience: 60_000_000_000,
            ringByteCount: DeliveryMode.defaultRingByteCount
        )
        install(own, logging, as: patient)
        let large = String(repeating: "é", count: 300_000)
        for number in 0..<5 {
            log.error("\(number)")
            log.error("\(number) \(large)")
        }
        #expect(Pipeline.flush(within: patience))
        let messages = own.messages.filter { $0 != "from the sink" }
        #expect(messages == (0..<5).flatMap { ["\($0)", "\($0) \(large)"] })
        #expect(own.messages.contains("from the sink"))
        #expect(!logging.messages.contains("from the sink"))
    }

    @Test
    func `one that hangs in its turn to try again keeps no other from its own`() async throws {
        let gate = Gate()
        let isLate = Counter()
        let hanging = OwnSink { _ throws(SinkError) in
            if isLate.increment() == 1 { throw SinkError(.busy) }
            gate.pass()
        }
        let builtIn = ScriptedSink(failing: SinkError(.busy))
        install(hanging, builtIn, as: .immediate)
        log.error("waits")
        try await awaitUntil { isLate.value > 1 }
        builtIn.fail(with: nil)
        try await awaitUntil { builtIn.entries.count == 1 }
        gate.open()
        #expect(Pipeline.flush(within: patience))
        #expect(hanging.messages == ["waits"])
    }

    @Test
    func `of one that does not return all is counted at the end`() async {
        await #expect(processExitsWith: .success) {
            let stuck = OwnSink { if $0 == "10" { sleep(60) } }
            Self.install([stuck], .deferred)
            for number in 0..<200 { Log("tests.foreign").error("\(number)") }
            Pipeline.end()
            let account = Pipeline.accounts[0]
            #expect(account.accepted == 200 && account.delivered == 10)
            #expect(account.lost[.exit]?[.error] == 190)
        }
    }

    /// In the child, the thread is still within the record of its parent when another one has a record of the child.
    @Test
    func `one that forks gets the records of its process, each once`() async {
        await #expect(processExitsWith: .success) {
            alarm(600)
            let own = OwnSink { text in
                if text == "of the child" { usleep(300_000) }
                guard text == "forks" else { return }
                let child = fork_()
                guard child == 0 else {
                    var status: Int32 = 0
                    #expect(unsafe waitpid(child, &status, 0) == child && status == 7 << 8)
                    return
                }
                _ = StartedThread {
                    Log("tests.foreign").error("of the child")
                    _ = Pipeline.flush(within: 60_000_000_000)
                    let account = Pipeline.accounts[0]
                    _exit(account.delivered == 1 && account.queued == 0 ? 7 : 1)
                }
                usleep(100_000)
            }
            Self.install([own], .deferred)
            Log("tests.foreign").error("forks")
            Log("tests.foreign").error("of the parent")
            #expect(Pipeline.flush(within: 60_000_000_000))
            #expect(own.messages == ["forks", "of the parent"])
        }
    }

    @Test
    func `what other handlers of the exit log comes to it at once`() async {
        await #expect(processExitsWith: .success) {
            let own = OwnSink()
            Self.install([own], .deferred)
            Log("tests.foreign").error("before")
            Pipeline.end()
            Log("tests.foreign").error("behind")
            #expect(own.messages == ["before", "behind"])
        }
    }
}

/// fork(2), which Swift's overlay hides.
@_silgen_name("fork")
private func fork_() -> Int32
