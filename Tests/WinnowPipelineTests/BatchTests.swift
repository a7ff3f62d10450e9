// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support
import Testing
import Winnow
import WinnowCore
import WinnowPipeline

/// The worker's records to a sink that takes several with one call.
@Suite(.exclusivePipeline)
struct BatchTests {
    private let sink = BatchedSink()
    private let log = Log("tests.batch")
    /// Callers wait for as long as a busy machine may take.
    private static let patient = DeliveryMode.deferred(
        patience: 60_000_000_000,
        ringByteCount: DeliveryMode.defaultRingByteCount
    )

    private func install(_ sinks: [any Sink], fallback: (any Sink)? = nil) {
        let routes = sinks.enumerated().map { index, sink in
            SinkRoute(
                name: "sink\(index)",
                slot: SinkSlot(sink),
                levels: .all,
                fallback: fallback.map { SinkSlot($0) }
            )
        }
        Pipeline.install(
            RoutingPlan(routes: routes, privacy: .redact, delivery: Self.patient)
        )
    }

    private func flush() -> Bool { Pipeline.flush(within: patience) }

    /// Waits until the worker has numbered so many records, whether or not the sink has taken them; for
    /// a minute at most, which only a test that fails waits for.
    private func waitUntilAccepted(_ count: UInt64) {
        let deadline = ContinuousClock.now + .seconds(60)
        while Pipeline.accounts[0].accepted < count, ContinuousClock.now < deadline {
            _ = Pipeline.flush(within: 10_000_000)
        }
        #expect(Pipeline.accounts[0].accepted == count)
    }

    private func logNumbers(_ numbers: Range<Int>) {
        for number in numbers { log.notice("\(number)") }
    }

    private func texts(_ numbers: Range<Int>) -> [String] { numbers.map { "\($0)" } }

    @Test
    func `records come in batches, in order, and all are in the account`() {
        install([sink])
        logNumbers(0..<5_000)
        #expect(flush())
        #expect(sink.messages == texts(0..<5_000))
        #expect(sink.batches.allSatisfy { $0 <= 256 })
        #expect(sink.batches.contains { $0 > 1 })
        #expect(sink.singles == 0)
        let account = Pipeline.accounts[0]
        #expect(account.accepted == 5_000 && account.delivered == 5_000 && account.queued == 0)
    }

    @Test
    func `what a sink does not take of a batch waits, and comes behind what it took`() {
        install([sink])
        // Of each batch it takes seven records at most, and of single ones every other.
        sink.takeAtMost(7, of: SinkError(.failed, systemError: 28))
        logNumbers(0..<2_000)
        waitUntilAccepted(2_000)
        sink.takeAtMost(.max, of: nil)
        #expect(flush())
        #expect(sink.programMessages == texts(0..<2_000))
        let account = Pipeline.accounts[0]
        #expect(account.accepted == 2_000 && account.delivered == 2_000 && account.lostTotal == 0)
    }

    @Test
    func `what a sink does not take keeps its numbers and its time`() {
        install([sink])
        sink.takeAtMost(7, of: SinkError(.failed, systemError: 28))
        logNumbers(0..<500)
        waitUntilAccepted(500)
        sink.takeAtMost(.max, of: nil)
        #expect(flush())
        let lines = sink.lines.filter(\.isOfProgram)
        #expect(lines.count == 500)
        for (earlier, later) in zip(lines, lines.dropFirst()) {
            #expect(later.number == earlier.number + 1)
            #expect(later.levelNumber == earlier.levelNumber + 1)
            #expect(later.time >= earlier.time)
        }
        // A time, and not the ticks of a counter.
        let minute: Int64 = 60_000_000_000
        let now = Int64(time(nil)) * 1_000_000_000
        #expect(lines.allSatisfy { abs(Int64(bitPattern: $0.time) - now) < minute })
    }

    @Test
    func `what a sink holds back is in the account, as waiting`() {
        let accounts = Guarded<[SinkStatus]>([])
        sink.onCommit { accounts.withLock { $0.append(Pipeline.accounts[0]) } }
        install([sink])
        logNumbers(0..<2_000)
        #expect(flush())
        let during = accounts.withLock { $0 }
        #expect(during.count == sink.batches.count)
        #expect(during.map(\.queued) == sink.batches.map { UInt64($0) })
        #expect(during.allSatisfy { $0.accepted == $0.delivered + $0.queued + $0.lostTotal })
    }

    @Test
    func `a sink that is away has its batch go to the fallback, and says when it is back`() {
        let fallback = ScriptedSink()
        install([sink], fallback: fallback)
        sink.takeAtMost(0, of: SinkError(.unavailable, systemError: 2))
        logNumbers(0..<300)
        #expect(flush())
        #expect(fallback.programEntries.map(\.message) == texts(0..<300))
        #expect(fallback.entries.count == 301)
        sink.takeAtMost(.max, of: nil)
        logNumbers(300..<600)
        #expect(flush())
        #expect(sink.programMessages == texts(300..<600))
        #expect(sink.messages.contains { $0.contains("sink0 is back; 300 of its records") })
        let account = Pipeline.accounts[0]
        #expect(account.accepted == 600 && account.delivered == 600 && account.diverted == 300)
    }

    @Test
    func `a sink of two routes gets single records, each once a route`() {
        let slot = SinkSlot(sink)
        let routes = ["one", "two"].map { SinkRoute(name: $0, slot: slot, levels: .all) }
        Pipeline.install(
            RoutingPlan(routes: routes, privacy: .redact, delivery: Self.patient)
        )
        logNumbers(0..<100)
        #expect(flush())
        #expect(sink.batches.isEmpty)
        #expect(sink.messages == (0..<100).flatMap { ["\($0)", "\($0)"] })
    }

    @Test
    func `a record beside the ring keeps its place among those in it`() {
        install([sink])
        let large = String(repeating: "é", count: 500_000)
        for number in 0..<20 {
            log.notice("\(number)")
            log.notice("\(number) \(large)")
        }
        #expect(flush())
        let isWhole = sink.messages == (0..<20).flatMap { ["\($0)", "\($0) \(large)"] }
        #expect(isWhole)
    }

    @Test
    func `a sink ends a batch when it wants to`() {
        install([sink])
        sink.endBatches(with: 3)
        logNumbers(0..<1_000)
        #expect(flush())
        #expect(sink.messages == texts(0..<1_000))
        #expect(sink.batches.allSatisfy { $0 <= 3 })
    }

    @Test
    func `records that a sink takes as they are encoded stay in order with the others`() {
        let second = ScriptedSink()
        sink.takeEncoded()
        install([sink, second])
        sink.takeAtMost(100, of: SinkError(.failed, systemError: 28))
        logNumbers(0..<1_000)
        _ = Pipeline.flush(within: 100_000_000)
        sink.takeAtMost(.max, of: nil)
        logNumbers(1_000..<2_000)
        #expect(flush())
        logNumbers(2_000..<3_000)
        #expect(flush())
        #expect(sink.programMessages == texts(0..<3_000))
        #expect(second.programEntries.map(\.message) == texts(0..<3_000))
        #expect(sink.encodedCount > 500)
        #expect(
            sink.lines.map(\.number).filter { $0 != 0 } == second.programEntries.map(\.sequence)
        )
        let account = Pipeline.accounts[0]
        #expect(account.accepted == 3_000 && account.delivered == 3_000)
    }

    @Test
    func `what another sink logs meanwhile comes behind the record that it logs about`() {
        let other = ScriptedSink()
        other.onWrite { entry in
            if entry.message == "5" { Log("other").notice("saw 5") }
        }
        install([sink, other])
        logNumbers(0..<10)
        #expect(flush())
        #expect(sink.messages == texts(0..<6) + ["saw 5"] + texts(6..<10))
    }

    @Test
    func `a change of the configuration within batches loses nothing`() async {
        let (first, second) = (BatchedSink(), BatchedSink())
        install([first])
        let isDone = Counter()
        await withTaskGroup { group in
            for thread in 0..<2 {
                group.addTask {
                    for number in 0..<20_000 { log.notice("\(thread) \(number)") }
                    isDone.increment()
                }
            }
            group.addTask {
                while isDone.value < 2 {
                    install([second])
                    install([first])
                    await Task.yield()
                }
            }
        }
        #expect(flush())
        let messages = Set(first.programMessages + second.programMessages)
        #expect(messages.count == 40_000)
        #expect(first.programMessages.count + second.programMessages.count == 40_000)
    }

    @Test
    func `eight threads and a sink that takes a part of each batch end in an exact account`() async
    {
        install([sink])
        sink.takeInTurns(of: SinkError(.failed, systemError: 28))
        await withTaskGroup { group in
            for _ in 0..<8 { group.addTask { logNumbers(0..<5_000) } }
        }
        sink.takeAtMost(.max, of: nil)
        #expect(flush())
        let account = Pipeline.accounts[0]
        #expect(account.accepted == 40_000 && account.queued == 0)
        #expect(account.accepted == account.delivered + account.lostTotal)
        #expect(UInt64(sink.programMessages.count) == account.delivered)
    }
}

/// A sink that keeps the messages of its records, and takes as many of a batch as a test tells it to.
private final class BatchedSink: BatchSink {
    private struct State {
        var held: [Line] = []
        var taken: [Line] = []
        var batches: [Int] = []
        var singles = 0
        var end = Int.max
        var limit: Int? = .max
        var turn = 0
        var failure: SinkError?
        var onCommit: @Sendable () -> Void = {}
        var takesEncoded = false
        var encodedCount = 0
        var calls = 0
    }

    /// What is kept of a record.
    struct Line {
        let text: String
        let number: UInt64
        let levelNumber: UInt64
        let time: UInt64

        init(_ record: borrowing Record) {
            text = record.message
            number = record.sequence
            levelNumber = record.levelSequence
            time = record.timestamp
        }

        var isOfProgram: Bool { number != 0 }
    }

    private let state = Guarded(State())

    var lines: [Line] { state.withLock(\.taken) }
    var messages: [String] { state.withLock { $0.taken.map(\.text) } }
    var programMessages: [String] {
        state.withLock { $0.taken.filter(\.isOfProgram).map(\.text) }
    }
    /// How many records each batch had.
    var batches: [Int] { state.withLock { $0.batches } }
    /// How many records came by themselves.
    var singles: Int { state.withLock { $0.singles } }

    func close() {}

    func takeAtMost(_ limit: Int, of failure: SinkError?) {
        state.withLock { ($0.limit, $0.failure) = (limit, failure) }
    }

    /// Takes another number of records each time.
    func takeInTurns(of failure: SinkError) {
        state.withLock { ($0.limit, $0.failure) = (nil, failure) }
    }

    /// Has the body run while a batch is being written.
    func onCommit(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.onCommit = body } }

    /// Takes two of three records, at most, as they are encoded.
    func takeEncoded() { state.withLock { $0.takesEncoded = true } }

    /// How many it took so.
    var encodedCount: Int { state.withLock { $0.encodedCount } }

    func endBatches(with count: Int) { state.withLock { $0.end = count } }

    func hold(_ record: borrowing Record) -> Bool {
        let line = Line(record)
        return state.withLock {
            $0.held.append(line)
            return $0.held.count >= $0.end
        }
    }

    func hold(encoded record: EncodedRecord) -> Bool? {
        let isTaken = state.withLock { state in
            // The first one of a batch is always decoded.
            #expect(!state.held.isEmpty)
            state.calls += 1
            return state.takesEncoded && state.calls % 3 != 0
        }
        guard isTaken else { return nil }
        var content = RecordContent()
        unsafe RecordDecoder.decode(record.arguments, policy: .redact, into: &content)
        let header = unsafe record.header.pointee
        let line = Record.withRecord(header: header, content: content) { Line($0) }
        return state.withLock {
            $0.encodedCount += 1
            $0.held.append(line)
            return $0.held.count >= $0.end
        }
    }

    func commit() -> (delivered: Int, error: SinkError?) {
        state.withLock(\.onCommit)()
        return state.withLock { state in
            state.turn += 1
            let count = min(state.held.count, state.limit ?? state.turn % 40)
            state.taken += state.held.prefix(count)
            state.batches.append(state.held.count)
            defer { state.held.removeAll() }
            return (count, count < state.held.count ? state.failure : nil)
        }
    }

    func write(_ record: borrowing Record) throws(SinkError) {
        let line = Line(record)
        let failure = state.withLock { state in
            state.singles += 1
            state.turn += 1
            if let failure = state.failure, state.limit != nil || state.turn % 3 != 0 {
                return failure as SinkError?
            }
            state.taken.append(line)
            return nil
        }
        if let failure { throw failure }
    }
}
