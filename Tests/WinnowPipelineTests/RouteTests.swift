// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support
import Synchronization
import Testing
import Winnow
import WinnowPipeline

/// What a route does with the errors of its sink.
@Suite(.exclusivePipeline)
struct RouteTests {
    let sink = ScriptedSink()
    let log = Log("tests.route")

    func install(fallback: ScriptedSink? = nil, capacity: Int = 1 << 20) {
        let route = SinkRoute(
            name: "scripted",
            slot: SinkSlot(sink),
            levels: .all,
            fallback: fallback.map { SinkSlot($0) },
            capacity: capacity
        )
        Pipeline.install(RoutingPlan(routes: [route], privacy: .redact))
    }

    var account: SinkStatus { Pipeline.accounts[0] }

    @Test
    func `what many threads log at once is delivered, or counted and reported`() {
        install(capacity: 64 * 1_024)
        // As in a call of the system, a thread may lose the processor in the sink.
        sink.onWrite { _ in sched_yield() }
        let threads = (0..<64).map { _ in
            StartedThread { for number in 0..<2_000 { log.notice("\(number)") } }
        }
        threads.forEach { $0.join() }
        #expect(Pipeline.flush(within: patience))
        #expect(account.accepted == 128_000)
        // A thread gives up when others were quicker for half a second, which the machine decides: the
        // benchmarks say how many are lost.
        #expect(account.accepted == account.delivered + account.lostTotal)
        let entries = sink.entries
        #expect(entries.count { $0.sequence != 0 } == Int(account.delivered))
        let reported = entries.flatMap(\.fields).filter { $0.name == "winnow_lost" }
        #expect(reported.isEmpty == (account.lostTotal == 0))
    }

    @Test
    func `what is delivered is counted`() {
        install()
        log.notice("one")
        log.debug("two")
        #expect(account.accepted == 2)
        #expect(account.delivered == 2)
        #expect(account.lostTotal == 0)
    }

    @Test
    func `a busy sink gets its records later, in order`() {
        install()
        sink.fail(with: SinkError(.busy))
        for number in 0..<100 { log.notice("\(number)") }
        #expect(sink.entries.isEmpty)
        #expect(account.accepted == 100)
        #expect(account.queued == 100)
        sink.fail(with: nil)
        #expect(Pipeline.flush(within: patience))
        #expect(sink.programEntries.map(\.message) == (0..<100).map(String.init))
        #expect(account.delivered == 100)
        #expect(account.queued == 0)
    }

    @Test
    func `the worker delivers without a flush`() async throws {
        install()
        sink.fail(with: SinkError(.failed, systemError: 28))
        log.notice("kept")
        sink.fail(with: nil)
        while account.delivered < 1 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(sink.programEntries.map(\.message) == ["kept"])
    }

    @Test
    func `a full queue drops debug first and keeps room for warnings`() {
        install(capacity: 64 * 1_024)
        sink.fail(with: SinkError(.busy))
        for _ in 0..<1_000 { log.debug("d") }
        let debugLost = account.lost[.queueFull]?[.debug] ?? 0
        #expect(debugLost > 0 && debugLost < 1_000)
        for _ in 0..<10 { log.warning("w") }
        #expect(account.lost[.queueFull]?[.warning] == 0)
        for _ in 0..<2_000 { log.warning("w") }
        #expect((account.lost[.queueFull]?[.warning] ?? 0) > 0)
        #expect(account.accepted == account.queued + account.lostTotal)
        #expect(account.queueHighWater <= 64 * 1_024)
    }

    @Test
    func `what was lost is reported when the sink takes records again`() {
        install(capacity: 4_096)
        sink.fail(with: SinkError(.busy))
        for _ in 0..<100 { log.info("i") }
        let lost = account.lostTotal
        #expect(lost > 0)
        sink.fail(with: nil)
        #expect(Pipeline.flush(within: patience))
        let reports = sink.entries.filter { $0.message.hasPrefix("lost ") }
        #expect(reports.count == 1)
        #expect(reports.first?.level == .warning)
        #expect(reports.first?.category == "winnow")
        let fields = reports.first?.fields ?? []
        #expect(fields.first == Field("winnow_lost", .unsigned(lost)))
        #expect(fields[1] == Field("winnow_lost_info", .unsigned(lost)))
        #expect(reports.first?.message.hasPrefix("lost \(lost) records (\(lost) info)") == true)
        #expect(account.accepted == account.delivered + account.lostTotal)
        #expect(UInt64(sink.programEntries.count) == account.delivered)
    }

    /// The beginning of a log may be removed, and with it a report that stands before all that has
    /// waited.
    @Test
    func `a report stands where the first of its records is missing`() {
        install(capacity: 4_096)
        sink.fail(with: SinkError(.busy))
        for _ in 0..<100 { log.info("i") }
        sink.fail(with: nil)
        #expect(Pipeline.flush(within: patience))
        log.info("after")
        let messages = sink.entries.map(\.message)
        let count = messages.prefix { $0 == "i" }.count
        #expect((2..<100).contains(count))
        #expect(messages.dropFirst(count).first?.hasPrefix("lost \(100 - count) records ") == true)
        #expect(messages.dropFirst(count + 1) == ["after"])
    }

    @Test
    func `a rejected record is lost at once and reported with the next`() {
        install()
        sink.fail(with: SinkError(.rejected))
        log.error("never")
        #expect(account.lost[.rejected]?[.error] == 1)
        sink.fail(with: nil)
        log.notice("next")
        #expect(sink.entries.map(\.message).first == "next")
        #expect(sink.entries.last?.fields.first == Field("winnow_lost", .unsigned(1)))
    }

    @Test
    func `an unavailable sink diverts to its fallback and says so once`() {
        let fallback = ScriptedSink()
        install(fallback: fallback)
        sink.fail(with: SinkError(.unavailable, systemError: 2))
        log.notice("one")
        log.notice("two")
        #expect(
            fallback.entries.map(\.message) == [
                "scripted is not there (No such file or directory); its records come here until it is",
                "one", "two",
            ]
        )
        #expect(account.delivered == 2)
        #expect(account.diverted == 2)
        sink.fail(with: nil)
        log.notice("three")
        #expect(
            sink.entries.map(\.message) == [
                "three", "scripted is back; 2 of its records went to its fallback",
            ]
        )
        #expect(account.accepted == 3)
        #expect(account.delivered == 3)
    }

    @Test
    func `a sink without a fallback that is away gets its records when it is back`() {
        install()
        sink.fail(with: SinkError(.unavailable, systemError: 111))
        log.notice("one")
        #expect(account.queued == 1)
        sink.fail(with: nil)
        #expect(Pipeline.flush(within: patience))
        #expect(sink.programEntries.map(\.message) == ["one"])
    }

    @Test
    func `a sink that hangs keeps no caller for ever`() async throws {
        install()
        let gate = Counter()
        let entered = Counter()
        sink.onWrite { _ in
            entered.increment()
            while gate.value == 0 {}
        }
        let first = Task.detached { log.notice("first") }
        while entered.value == 0 { await Task.yield() }
        log.notice("second")
        log.notice("third")
        // The first as well, which the sink has not returned from.
        #expect(account.accepted == 3)
        #expect(account.queued == 3)
        gate.increment()
        await first.value
        #expect(Pipeline.flush(within: patience))
        #expect(Set(sink.entries.map(\.message)) == ["first", "second", "third"])
        #expect(account.delivered == 3)
    }

    @Test
    func `a sink that logs neither deadlocks nor gets its own records`() {
        let other = ScriptedSink()
        sink.onWrite { entry in Log("inner").notice("wrote \(entry.message)") }
        other.onWrite { entry in Log("other").notice("saw \(entry.message)") }
        let routes = [sink, other].enumerated().map { index, sink in
            SinkRoute(name: "sink\(index)", slot: SinkSlot(sink), levels: .all)
        }
        Pipeline.install(RoutingPlan(routes: routes, privacy: .redact))
        log.notice("x")
        #expect(sink.programEntries.map(\.message) == ["x", "saw x"])
        #expect(other.programEntries.map(\.message) == ["x", "wrote x"])
        for account in Pipeline.accounts {
            #expect(account.accepted == account.delivered + account.lostTotal)
        }
    }

    @Test
    func `what the sinks of an earlier configuration never took is told to the new ones`() {
        install()
        sink.fail(with: SinkError(.busy))
        log.notice("early")
        let (other, same) = (ScriptedSink(), ScriptedSink())
        let routes = zip(["other", "scripted"], [other, same]).map { name, sink in
            SinkRoute(name: name, slot: SinkSlot(sink), levels: .all)
        }
        Pipeline.install(RoutingPlan(routes: routes, privacy: .redact))
        log.notice("late")
        for sink in [other, same] {
            let report = sink.entries.first?.message ?? ""
            #expect(
                report.hasPrefix(
                    "scripted: lost 1 record (1 notice): the configuration was replaced; numbers "
                )
            )
            #expect(sink.entries.last?.message == "late")
        }
        // In the log of another sink they would be taken for losses of its own.
        #expect(other.entries.first?.fields == [])
        #expect(same.entries.first?.fields.first == Field("winnow_lost", .unsigned(1)))
    }

    @Test
    func `two routes to one sink spare it its own records`() {
        sink.onWrite { entry in Log("inner").notice("wrote \(entry.message)") }
        let slot = SinkSlot(sink)
        let routes = ["a", "b"].map { SinkRoute(name: $0, slot: slot, levels: .all) }
        Pipeline.install(RoutingPlan(routes: routes, privacy: .redact))
        log.notice("x")
        #expect(sink.entries.map(\.message) == ["x", "x"])
        for account in Pipeline.accounts {
            #expect(account.accepted == account.delivered + account.lostTotal)
        }
    }

    @Test
    func `sinks that log about each other do not multiply records`() {
        let sinks = (0..<8).map { _ in ScriptedSink() }
        for sink in sinks { sink.onWrite { Log("inner").notice("wrote \($0.message)") } }
        let routes = sinks.map { SinkRoute(name: "s", slot: SinkSlot($0), levels: .all) }
        Pipeline.install(RoutingPlan(routes: routes, privacy: .redact))
        log.notice("x")
        #expect(sinks.map(\.programEntries.count) == Array(repeating: 8, count: 8))
    }

    @Test
    func `a record that is larger than the queue is lost at once, and it alone`() {
        install(capacity: 16 * 1_024)
        sink.fail(with: SinkError(.busy))
        log.notice(LogMessage(verbatim: String(repeating: "x", count: 20_000)))
        log.notice("small")
        #expect(account.lost[.queueFull]?[.notice] == 1)
        #expect(account.queued == 1)
    }

    @Test
    func `a report keeps its text when the call's message was kept before`() {
        install()
        let kept: LogMessage = "kept"
        sink.fail(with: SinkError(.rejected))
        log.notice("never")
        sink.fail(with: nil)
        log.notice(kept)
        #expect(sink.entries.first?.message == "kept")
        #expect(sink.entries.last?.message.hasPrefix("lost 1 record (1 notice)") == true)
    }

    @Test
    func `what Winnow says itself is in no account`() {
        install()
        sink.fail(with: SinkError(.busy))
        News.announce("own", level: .warning)
        log.notice("the program's")
        #expect(account.accepted == 1)
        #expect(account.queued == 1)
        sink.fail(with: nil)
        #expect(Pipeline.flush(within: patience))
        #expect(sink.entries.map(\.message) == ["own", "the program's"])
        #expect(account.delivered == 1)
    }

    @Test
    func `two routes have levels of their own`() {
        let other = ScriptedSink()
        let routes = [
            SinkRoute(name: "a", slot: SinkSlot(sink), levels: .upTo(.error)),
            SinkRoute(name: "b", slot: SinkSlot(other), levels: [.debug, .notice]),
        ]
        Pipeline.install(RoutingPlan(routes: routes, privacy: .redact))
        for level in Level.allCases { log.log(level, "\(level)") }
        #expect(sink.entries.map(\.message) == ["emergency", "alert", "critical", "error"])
        #expect(other.entries.map(\.message) == ["notice", "debug"])
        #expect(!log.isEnabled(.warning))
    }

    @Test
    func `eight threads lose nothing and number every record once`() async {
        // Room for all of them: whoever is inside the sink may be without a processor.
        install(capacity: 64 << 20)
        let before = Pipeline.accepted
        await withTaskGroup { group in
            for thread in 0..<8 {
                group.addTask {
                    for number in 0..<10_000 { log.notice("\(thread) \(number)", ("n", number)) }
                }
            }
        }
        #expect(Pipeline.flush(within: patience))
        let entries = sink.programEntries
        #expect(entries.count == 80_000)
        // Sets of this size are not for the report of a failure.
        let isComplete = Set(entries.map(\.sequence)) == Set(before + 1...before + 80_000)
        #expect(isComplete)
        for thread in 0..<8 {
            let own = entries.filter { $0.message.hasPrefix("\(thread) ") }
            let isInOrder = own.map(\.message) == (0..<10_000).map { "\(thread) \($0)" }
            #expect(isInOrder)
        }
        #expect(account.accepted == 80_000)
        #expect(account.delivered == 80_000)
    }

    @Test
    func `records survive a sink that fails at random`() async {
        install(capacity: 256 * 1_024)
        let calls = Counter()
        sink.onWrite { [sink] _ in
            let call = calls.increment()
            if call % 7 == 0 { sink.fail(with: SinkError(.busy)) }
            if call % 7 == 3 { sink.fail(with: SinkError(.failed, systemError: 28)) }
            if call % 7 == 5 { sink.fail(with: nil) }
        }
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask { for number in 0..<5_000 { log.notice("\(number)") } }
            }
        }
        sink.onWrite(nil)
        sink.fail(with: nil)
        #expect(Pipeline.flush(within: patience))
        #expect(account.accepted == 20_000)
        #expect(account.queued == 0)
        #expect(account.accepted == account.delivered + account.lostTotal)
        #expect(UInt64(sink.programEntries.count) == account.delivered)
    }
}
