// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support
import Synchronization
import Testing
import Winnow
import WinnowPipeline

/// What deferred delivery does beyond what both ways have in common.
@Suite(.exclusivePipeline)
struct DeferredTests {
    let sink = ScriptedSink()
    let log = Log("tests.deferred")

    func install(_ delivery: DeliveryMode, capacity: Int = 4 << 20) {
        let route = SinkRoute(
            name: "scripted",
            slot: SinkSlot(sink),
            levels: .all,
            capacity: capacity
        )
        Pipeline.install(
            RoutingPlan(routes: [route], privacy: .redact, delivery: delivery)
        )
    }

    var account: SinkStatus { Pipeline.accounts[0] }

    /// A ring that holds some hundred records, and callers who wait for it.
    static let tiny = DeliveryMode.deferred(patience: 10_000_000_000, ringByteCount: 16 * 1_024)
    /// A ring of the common size, with such callers.
    static let patient = DeliveryMode.deferred(
        patience: 10_000_000_000,
        ringByteCount: DeliveryMode.defaultRingByteCount
    )
    /// A tiny ring with callers who do not wait.
    static let tinyDropping = DeliveryMode.deferred(patience: 0, ringByteCount: 16 * 1_024)

    @Test
    func `a record arrives without a flush`() async throws {
        install(.deferred)
        log.notice("\(1) arrives")
        while sink.entries.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
        #expect(sink.entries.map(\.message) == ["1 arrives"])
        #expect(account.accepted == 1 && account.delivered == 1)
    }

    @Test
    func `records of all sizes pass a tiny ring in order`() {
        install(Self.tiny)
        let sizes = (0..<3_000).map { ($0 * 7_919) % 6_000 }
        for (number, size) in sizes.enumerated() {
            log.error("\(number) \(String(repeating: "x", count: size))")
        }
        let entries = sink.settledEntries
        let isWhole =
            entries.map(\.message)
            == sizes.enumerated().map { "\($0) " + String(repeating: "x", count: $1) }
        #expect(isWhole)
        #expect(account.accepted == 3_000 && account.lostTotal == 0)
    }

    @Test
    func `records that are larger than the ring pass beside it, in order`() {
        install(Self.tiny)
        let large = String(repeating: "é", count: 50_000)
        for number in 0..<20 {
            log.error("\(number) \(large)")
            log.error("\(number)")
        }
        let isWhole =
            sink.settledEntries.map(\.message)
            == (0..<20).flatMap { ["\($0) \(large)", "\($0)"] }
        #expect(isWhole)
    }

    @Test
    func `messages beside the ring are bounded by its size, and what is over is counted`() {
        let gate = Counter()
        let entered = Counter()
        install(.deferred(patience: 0, ringByteCount: 64 * 1_024))
        sink.onWrite { _ in
            entered.increment()
            while gate.value == 0 {}
        }
        log.error("first")
        while entered.value == 0 {}
        let large = String(repeating: "x", count: 100_000)
        for _ in 0..<10 { log.error("\(large)") }
        log.error("last")
        gate.increment()
        let entries = sink.settledEntries.filter { $0.sequence != 0 }
        #expect(entries.map(\.message.count) == [5, 100_000, 4])
        #expect(account.lost[.overflow]?[.error] == 9)
        #expect(account.accepted == 12 && account.delivered == 3)
    }

    @Test
    func `a burst of a thousand records with three fields waits for nobody`() {
        let gate = Counter()
        let entered = Counter()
        // No caller waits: what the ring does not hold is lost.
        install(.deferred(patience: 0, ringByteCount: DeliveryMode.defaultRingByteCount))
        sink.onWrite { _ in
            entered.increment()
            while gate.value == 0 { usleep(1_000) }
        }
        log.notice("first")
        while entered.value == 0 { usleep(1_000) }
        let path = "/api/v1/items/0123456789"
        for number in 0..<1_000 {
            log.notice("request done", ("id", number), ("ms", 0.125), ("path", path))
        }
        gate.increment()
        #expect(sink.settledEntries.count == 1_001)
        #expect(account.accepted == 1_001 && account.lostTotal == 0)
    }

    @Test
    func `a message that is kept is logged from several threads`() async {
        install(Self.tiny)
        let kept: LogMessage = "kept \(1) and \("two", as: "n")"
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask { for number in 0..<500 { log.error(kept, ("number", number)) } }
            }
        }
        let entries = sink.settledEntries
        #expect(entries.count == 2_000)
        #expect(Set(entries.map(\.message)) == ["kept 1 and two"])
        #expect(Set(entries.map(\.fields)).count == 500)
    }

    @Test
    func `calls within calls come out first, whatever the depth and the size`() {
        install(Self.tiny)
        func inner(_ depth: Int, _ size: Int) -> Int {
            if depth > 0 {
                log.error(
                    "\(depth) \(inner(depth - 1, size)) \(String(repeating: "x", count: size))"
                )
            }
            return depth
        }
        var expected: [String] = []
        for round in 0..<200 {
            let size = round * 997 % 9_000
            let text = String(repeating: "x", count: size)
            log.error("outer \(round) \(inner(3, size)) \(text)")
            expected += ["1 0 \(text)", "2 1 \(text)", "3 2 \(text)", "outer \(round) 3 \(text)"]
        }
        let isInOrder = sink.settledEntries.map(\.message) == expected
        #expect(isInOrder)
        let numbers = sink.entries.map(\.sequence)
        #expect(numbers == numbers.sorted())
    }

    @Test
    func `a flush within a call delivers what was logged before`() {
        install(.deferred)
        func inner() -> Int {
            log.error("inner")
            #expect(Pipeline.flush(within: patience))
            return sink.entries.count
        }
        log.error("before")
        log.error("outer \(inner())")
        #expect(sink.settledEntries.map(\.message) == ["before", "inner", "outer 2"])
    }

    @Test
    func `eight threads lose nothing in tiny rings and number every record once`() async {
        install(Self.tiny)
        let before = Pipeline.accepted
        await withTaskGroup { group in
            for thread in 0..<8 {
                group.addTask {
                    for number in 0..<5_000 { log.error("\(thread) \(number)", ("n", number)) }
                }
            }
        }
        let entries = sink.settledEntries
        #expect(entries.count == 40_000)
        let isNumbered = entries.map(\.sequence) == Array(before + 1...before + 40_000)
        #expect(isNumbered)
        for thread in 0..<8 {
            let own = entries.filter { $0.message.hasPrefix("\(thread) ") }
            let isInOrder = own.map(\.message) == (0..<5_000).map { "\(thread) \($0)" }
            #expect(isInOrder)
        }
        #expect(account.accepted == 40_000 && account.delivered == 40_000)
    }

    @Test
    func `records of threads that take turns come in that order`() {
        install(Self.patient)
        let (turn, idle) = (Counter(), Counter())
        let count = 5_000
        let takeTurns: @Sendable (Int) -> Void = { parity in
            for number in stride(from: parity, to: count, by: 2) {
                while turn.value < number { sched_yield() }
                log.notice("\(number)")
                turn.increment()
            }
        }
        // Between the rings of the two are many others, which the worker looks at meanwhile.
        let first = StartedThread {
            log.debug("first")
            idle.increment()
            while idle.value <= 200 { sched_yield() }
            takeTurns(0)
        }
        while idle.value < 1 { sched_yield() }
        let others = (0..<200).map { _ in
            StartedThread {
                log.debug("idle")
                idle.increment()
                while turn.value < count { usleep(10_000) }
            }
        }
        while idle.value <= 200 { sched_yield() }
        let second = StartedThread { takeTurns(1) }
        for thread in [first, second] + others { thread.join() }
        let messages = sink.settledEntries.filter { $0.level == .notice }.map(\.message)
        #expect(messages.count == count)
        let firstWrong = messages.indices.first { messages[$0] != "\($0)" }
        #expect(firstWrong == nil, "\(messages[(firstWrong ?? 0)...].prefix(20))")
    }

    @Test
    func `the first record of a thread comes between those that it was logged between`() {
        install(Self.patient)
        let count = 1_000
        let turn = Counter()
        let first = StartedThread {
            for number in stride(from: 0, to: count, by: 2) {
                while turn.value < number { sched_yield() }
                log.notice("\(number)")
                turn.increment()
            }
        }
        for number in stride(from: 1, to: count, by: 2) {
            while turn.value < number { sched_yield() }
            StartedThread {
                log.notice("\(number)")
                turn.increment()
            }.join()
        }
        first.join()
        let messages = sink.settledEntries.map(\.message)
        #expect(messages == (0..<count).map { "\($0)" })
    }

    @Test
    func `a full ring drops debug first, keeps room for errors, and every hole is explained`() {
        let before = Pipeline.accepted
        let gate = Counter()
        let entered = Counter()
        install(.deferred(patience: 0, ringByteCount: 64 * 1_024))
        sink.onWrite { _ in
            entered.increment()
            while gate.value == 0 {}
        }
        log.error("first")
        while entered.value == 0 {}
        for number in 0..<2_000 { log.debug("\(number)") }
        for number in 0..<100 { log.error("\(number)") }
        gate.increment()
        let entries = sink.settledEntries
        let lost = account.lost[.overflow] ?? LevelCounts()
        #expect(lost[.debug] > 0 && lost[.debug] < 2_000)
        #expect(lost[.error] == 0)
        #expect(account.accepted == 2_101)
        #expect(account.accepted == account.delivered + account.lostTotal)
        let numbers = Set(entries.map(\.sequence)).subtracting([0])
        let report = entries.first { $0.sequence == 0 }
        let first = report?.fields.first { $0.name == "winnow_lost_first" }?.value
        let last = report?.fields.first { $0.name == "winnow_lost_last" }?.value
        let holes = Set(before + 1...before + 2_101).subtracting(numbers)
        #expect(UInt64(holes.count) == lost.total)
        #expect(first == holes.min().map(FieldValue.unsigned))
        #expect(last == holes.max().map(FieldValue.unsigned))
        #expect(report?.message.hasPrefix("lost \(lost.total) records") == true)
    }

    @Test
    func `a caller waits for the worker no longer than it is told`() {
        let gate = Counter()
        let entered = Counter()
        install(.deferred(patience: 30_000_000, ringByteCount: 16 * 1_024))
        sink.onWrite { _ in
            entered.increment()
            while gate.value == 0 {}
        }
        log.error("first")
        while entered.value == 0 {}
        let clock = ContinuousClock()
        let time = clock.measure { for _ in 0..<1_000 { log.error("x") } }
        // One wait, and not one for each record, which would be half a minute.
        #expect(time >= .milliseconds(30) && time < .seconds(15))
        gate.increment()
        #expect(Pipeline.flush(within: patience))
        #expect((account.lost[.overflow]?[.error] ?? 0) > 0)
        #expect(account.accepted == 1_001)
        #expect(account.accepted == account.delivered + account.lostTotal)
    }

    @Test
    func `eight threads that drop and a sink that fails at random end in an exact account`() async {
        install(Self.tinyDropping, capacity: 256 * 1_024)
        let calls = Counter()
        sink.onWrite { [sink] _ in
            let call = calls.increment()
            if call % 7 == 0 { sink.fail(with: SinkError(.busy)) }
            if call % 7 == 3 { sink.fail(with: SinkError(.failed, systemError: 28)) }
            if call % 7 == 5 { sink.fail(with: nil) }
        }
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { for number in 0..<5_000 { log.notice("\(number)") } }
            }
        }
        sink.onWrite(nil)
        sink.fail(with: nil)
        #expect(Pipeline.flush(within: patience))
        #expect(account.accepted == 40_000)
        #expect(account.queued == 0)
        #expect(account.accepted == account.delivered + account.lostTotal)
        #expect(UInt64(sink.programEntries.count) == account.delivered)
    }

    @Test
    func `a sink that logs on the worker neither deadlocks nor gets its own records`() {
        let other = ScriptedSink()
        sink.onWrite { entry in Log("inner").notice("wrote \(entry.message)") }
        other.onWrite { entry in Log("other").notice("saw \(entry.message)") }
        let routes = [sink, other].enumerated().map { index, sink in
            SinkRoute(name: "sink\(index)", slot: SinkSlot(sink), levels: .all)
        }
        Pipeline.install(
            RoutingPlan(routes: routes, privacy: .redact, delivery: .deferred)
        )
        log.notice("x")
        #expect(Pipeline.flush(within: patience))
        #expect(sink.programEntries.map(\.message) == ["x", "saw x"])
        #expect(other.programEntries.map(\.message) == ["x", "wrote x"])
        for account in Pipeline.accounts {
            #expect(account.accepted == account.delivered + account.lostTotal)
        }
    }

    @Test
    func `a change of the way of delivery loses nothing and keeps each thread's order`() async {
        install(Self.patient)
        let isDone = Counter()
        await withTaskGroup { group in
            for thread in 0..<4 {
                group.addTask {
                    for number in 0..<10_000 { log.error("\(thread) \(number)") }
                    isDone.increment()
                }
            }
            group.addTask {
                while isDone.value < 4 {
                    Pipeline.install(plan(.immediate))
                    Pipeline.install(plan(Self.tiny))
                    Pipeline.install(plan(Self.patient))
                }
            }
        }
        let entries = sink.settledEntries.filter { $0.sequence != 0 }
        #expect(entries.count == 40_000)
        #expect(Set(entries.map(\.sequence)).count == 40_000)
        for thread in 0..<4 {
            let own = entries.filter { $0.message.hasPrefix("\(thread) ") }
            let isInOrder = own.map(\.message) == (0..<10_000).map { "\(thread) \($0)" }
            #expect(isInOrder)
        }
    }

    private func plan(_ delivery: DeliveryMode) -> RoutingPlan {
        let route = SinkRoute(name: "scripted", slot: .shared(by: sink), levels: .all)
        return RoutingPlan(routes: [route], privacy: .redact, delivery: delivery)
    }
}
