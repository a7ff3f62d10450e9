// SPDX-License-Identifier: Apache-2.0

import Support
import Testing
import Winnow
import WinnowCore
import WinnowPipeline

/// The records of immediate delivery to a sink that takes them by their encoding where it can.
@Suite(.exclusivePipeline)
struct DirectSinkTests {
    private let sink = EncodedSink()
    private let decoding = ScriptedSink()
    private let log = Log("tests.direct")

    private func install(_ more: [any Sink] = []) {
        let routes = ([sink as any Sink, decoding] + more).enumerated().map { index, sink in
            SinkRoute(name: "sink\(index)", slot: SinkSlot(sink), levels: .all)
        }
        Pipeline.install(RoutingPlan(routes: routes, privacy: .redact))
    }

    private var account: SinkStatus { Pipeline.accounts[0] }

    private func texts(_ numbers: Range<Int>) -> [String] { numbers.map { "\($0)" } }

    @Test
    func `records come in order, whether or not they are decoded, and are the same to both sinks`()
    {
        install()
        for number in 0..<300 {
            log.notice("\(number) é \("secret", privacy: .private)", ("field", number))
        }
        #expect(sink.messages == decoding.programEntries.map(\.message))
        #expect(sink.numbers == decoding.programEntries.map(\.sequence))
        #expect(sink.encodedCount == 200)
        #expect(account.accepted == 300 && account.delivered == 300)
    }

    @Test
    func `what it takes neither so nor so waits, and comes in order`() {
        install()
        for number in 0..<100 { log.notice("\(number)") }
        sink.fail(with: SinkError(.failed, systemError: 28))
        for number in 100..<200 { log.notice("\(number)") }
        #expect(account.queued == 100)
        sink.fail(with: nil)
        #expect(Pipeline.flush(within: patience))
        for number in 200..<300 { log.notice("\(number)") }
        #expect(sink.messages == texts(0..<300))
        #expect(decoding.programEntries.map(\.message) == texts(0..<300))
        #expect(account.accepted == 300 && account.delivered == 300 && account.queued == 0)
    }

    @Test
    func `what it refuses is lost, and told`() {
        install()
        sink.fail(with: SinkError(.rejected))
        for number in 0..<9 { log.notice("\(number)") }
        sink.fail(with: nil)
        log.notice("9")
        #expect(sink.messages == ["9"])
        #expect(account.lost[.rejected]?[.notice] == 9)
        #expect(account.accepted == account.delivered + account.lostTotal)
        #expect(decoding.programEntries.map(\.message) == texts(0..<10))
    }

    @Test
    func `what it logs itself comes to the other sinks`() {
        install()
        sink.onTake { number in if number == 5 { Log("sink").notice("took \(number)") } }
        for number in 0..<10 { log.notice("\(number)") }
        #expect(sink.messages == texts(0..<10))
        #expect(
            decoding.programEntries.map(\.message) == texts(0..<6) + ["took 5"] + texts(6..<10)
        )
        #expect(account.lost[.reentrant]?[.notice] == 1)
    }

    @Test
    func `what sinks log about what sinks have logged is lost, and told to who has not logged`() {
        let other = ScriptedSink()
        install([other])
        sink.onTake { number in if number == 1 { Log("sink").notice("took \(number)") } }
        decoding.onWrite { entry in
            if entry.message == "took 1" { Log("decoding").notice("took it") }
        }
        for number in 0..<4 { log.notice("\(number)") }
        #expect(other.programEntries.map(\.message) == ["0", "1", "took 1", "2", "3"])
        let reports = other.entries.filter { $0.sequence == 0 }.map(\.message)
        #expect(reports.count == 1)
        #expect(reports.first?.hasPrefix("lost 1 record (1 notice): another sink logged") == true)
        let lost = Pipeline.accounts.map(\.lost)
        #expect(lost.map { $0[.reentrant]?.total } == [2, 1, nil])
        #expect(lost.map { $0[.nested]?.total } == [nil, nil, 1])
    }
}

/// A sink that takes two of three records by their encoding, unless it fails.
private final class EncodedSink: DirectSink {
    private struct State {
        var lines: [(text: String, number: UInt64)] = []
        var calls = 0
        var encodedCount = 0
        var failure: SinkError?
        var onTake: @Sendable (Int) -> Void = { _ in }
    }

    private let state = Guarded(State())

    /// Those of the program's records.
    var messages: [String] { state.withLock { $0.lines.filter { $0.number != 0 }.map(\.text) } }
    var numbers: [UInt64] { state.withLock { $0.lines.map(\.number).filter { $0 != 0 } } }
    /// How many records it took by their encoding.
    var encodedCount: Int { state.withLock(\.encodedCount) }

    func fail(with error: SinkError?) { state.withLock { $0.failure = error } }

    /// Has the body run with how many records were taken before, while one is.
    func onTake(_ body: @escaping @Sendable (Int) -> Void) { state.withLock { $0.onTake = body } }

    func take(_ record: borrowing Record, at now: UInt64) -> SinkError? {
        if let failure = state.withLock(\.failure) { return failure }
        add(record)
        return nil
    }

    func take(encoded record: EncodedRecord, at now: UInt64) -> DirectResult {
        let (isUndecided, failure) = state.withLock { state in
            state.calls += 1
            return (state.calls.isMultiple(of: 3), state.failure)
        }
        if isUndecided { return .undecided }
        if let failure { return .failed(failure) }
        var content = RecordContent()
        unsafe RecordDecoder.decode(record.arguments, policy: .redact, into: &content)
        let header = unsafe record.header.pointee
        Record.withRecord(header: header, content: content) { add($0) }
        state.withLock { $0.encodedCount += 1 }
        return .delivered
    }

    func write(_ record: borrowing Record) throws(SinkError) {
        if let error = take(record, at: 0) { throw error }
    }

    func close() {}

    private func add(_ record: borrowing Record) {
        let line = (text: record.message, number: record.sequence)
        let (count, body) = state.withLock { ($0.lines.count, $0.onTake) }
        body(count)
        state.withLock { $0.lines.append(line) }
    }
}
