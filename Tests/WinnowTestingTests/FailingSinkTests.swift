// SPDX-License-Identifier: Apache-2.0

import Support
import Testing
import Winnow
import WinnowTesting

@Suite(.timeLimit(.minutes(30)))
struct FailingSinkTests {
    private let records = RecordingSink()
    private let sink: FailingSink

    init() {
        sink = FailingSink(records)
    }

    /// Writes a record; returns what the sink threw.
    @discardableResult
    private func write(_ message: LogMessage = "m") -> SinkError? {
        withRecord(message) { record in
            do throws(SinkError) {
                try sink.write(record)
                return nil
            } catch {
                return error
            }
        }
    }

    @Test func `the next writes fail, and those behind them do not`() {
        let busy = SinkError(.busy, systemError: 11)
        #expect(write() == nil)
        sink.failNext(2, with: busy)
        #expect([write(), write(), write(), write()] == [busy, busy, nil, nil])
        sink.failNext(0, with: busy)
        #expect(write() == nil)
        #expect(sink.counts.writes == 6)
        #expect(sink.counts.failedWrites == 2)
        #expect(sink.counts.deliveredWrites == records.records.count)
    }

    @Test func `all writes fail until told`() {
        let away = SinkError(.unavailable)
        sink.fail(with: away)
        #expect((0..<5).allSatisfy { _ in write() == away })
        sink.succeed()
        #expect(write() == nil)
        #expect(records.records.count == 1)
    }

    @Test func `chance hits the same writes in every run`() {
        func run(_ probability: Double, _ seed: UInt64) -> [Bool] {
            sink.fail(with: SinkError(.failed), probability: probability, seed: seed)
            return (0..<400).map { _ in write() != nil }
        }
        let hits = run(0.25, 7)
        #expect(hits == run(0.25, 7))
        #expect(hits != run(0.25, 8))
        #expect((50...150).contains(hits.count { $0 }))
        #expect(run(0, 7).allSatisfy { !$0 })
        #expect(run(1, 7).allSatisfy { $0 })
    }

    @Test func `flush and reopen fail on demand, and are counted and handed on`() throws {
        let inner = FailingSink()
        let sink = FailingSink(inner)
        sink.failFlush(with: SinkError(.busy))
        sink.failReopen(with: SinkError(.failed))
        #expect(throws: SinkError(.busy)) { try sink.flush() }
        #expect(throws: SinkError(.failed)) { try sink.reopen() }
        sink.succeed()
        try sink.flush()
        try sink.reopen()
        #expect(sink.counts.flushes == 2)
        #expect(sink.counts.reopenings == 2)
        #expect(inner.counts.flushes == 1)
        #expect(inner.counts.reopenings == 1)
    }

    @Test func `what the other sink throws comes out and is counted`() {
        let inner = FailingSink()
        inner.fail(with: SinkError(.rejected))
        let outer = FailingSink(inner)
        let error = withRecord("m") { record in
            do throws(SinkError) {
                try outer.write(record)
                return nil as SinkError?
            } catch {
                return error
            }
        }
        #expect(error == SinkError(.rejected))
        #expect(outer.counts.failedWrites == 1)
    }

    @Test func `a write that stalls goes on when it is released`() async throws {
        sink.stall()
        let thread = StartedThread { write("stalled") }
        while sink.stalledCount == 0 { await Task.yield() }
        try records.expectNone(.any)
        sink.release()
        try await records.expect(.message("stalled"), within: .seconds(60))
        thread.join()
        #expect(sink.stalledCount == 0)
    }

    @Test(.exclusivePipeline)
    func `what it refuses is in the account, or comes later`() async throws {
        try Winnow.start(
            .init(routes: [.sink(sink)], filter: "debug", environment: .ignored)
        )
        sink.failNext(3, with: SinkError(.busy))
        let log = Log("account")
        for number in 0..<10 { log.notice("\(number)") }
        await Winnow.flush()
        try await records.expectSequence((0..<10).map { .message("\($0)") }, within: .seconds(60))
        sink.failNext(2, with: SinkError(.rejected))
        log.notice("lost")
        log.notice("lost too")
        log.notice("kept")
        await Winnow.flush()
        let status = try #require(Winnow.status.sinks.first)
        #expect(status.accepted == 13)
        #expect(status.delivered == 11)
        #expect(status.lostTotal == 2)
        try records.expectNone(.message(containing: "lost").category("account"))
    }
}
