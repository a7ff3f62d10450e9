// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support
import Testing
import Winnow
import WinnowCore
import WinnowPipeline

/// Very many records of eight threads, two sinks that fail at random, and an account that must be
/// exact.
///
/// 400 000 records in each mode; ten million where WINNOW_TEST_FULL is not empty.
@Suite(.exclusivePipeline)
struct SoakTests {
    private static let threadCount = 8
    private static let isFull =
        unsafe getenv("WINNOW_TEST_FULL").map { unsafe $0.pointee != 0 } ?? false
    private static let recordCount = isFull ? 10_000_000 : 400_000

    private let log = Log("tests.soak")

    @Test(arguments: DeliveryMode.both)
    func `what is accepted is delivered once or reported lost, whatever the sinks do`(
        delivery: DeliveryMode
    ) async {
        let sinks = [TallySink(), TallySink()]
        let routes = zip(["one", "two"], sinks).map {
            SinkRoute(name: $0, slot: SinkSlot($1), levels: .all, capacity: 64 * 1_024)
        }
        Pipeline.install(
            RoutingPlan(routes: routes, privacy: .redact, delivery: delivery)
        )
        let accepted = Pipeline.accepted
        await withTaskGroup { group in
            for thread in 0..<Self.threadCount {
                group.addTask { logNumbers(of: thread) }
            }
        }
        sinks.forEach { $0.recover() }
        #expect(Pipeline.flush(within: patience))
        #expect(Pipeline.accepted - accepted == UInt64(Self.recordCount))
        for (account, sink) in zip(Pipeline.accounts, sinks) {
            #expect(account.accepted == UInt64(Self.recordCount))
            #expect(account.queued == 0)
            #expect(account.accepted == account.delivered + account.lostTotal)
            let tally = sink.tally
            #expect(tally.delivered == account.delivered)
            #expect(tally.repeated == 0)
            #expect(tally.reported == account.lostTotal)
        }
    }

    private func logNumbers(of thread: Int) {
        let count = Self.recordCount / Self.threadCount
        for number in thread * count..<(thread + 1) * count {
            switch number % 16 {
            case 0: log.error("\(number)")
            case 1...4: log.notice("\(number)", ("thread", thread))
            default: log.debug("\(number)")
            }
        }
    }

    /// A sink that marks each number it gets, and fails now and then: for a while, or with one record.
    private final class TallySink: Sink {
        struct Tally {
            var delivered: UInt64 = 0
            var repeated: UInt64 = 0
            /// What the reports of losses that came say.
            var reported: UInt64 = 0
        }

        private struct State {
            var tally = Tally()
            var seen = [Bool](repeating: false, count: SoakTests.recordCount)
            var random = SystemRandomNumberGenerator()
            /// How many more calls fail, and how.
            var failing: (calls: Int, error: SinkError) = (0, SinkError(.busy))
            var isWell = false
        }

        private let state = Guarded(State())

        var tally: Tally { state.withLock { $0.tally } }

        func recover() { state.withLock { $0.isWell = true } }

        func write(_ record: borrowing Record) throws(SinkError) {
            let number = record.sequence == 0 ? nil : Int(record.message)
            let reported = number == nil ? lost(in: record.fields) : 0
            let error = state.withLock { state in
                if let error = Self.failure(&state) { return error as SinkError? }
                state.tally.reported += reported
                guard let number else { return nil }
                state.tally.delivered += 1
                if state.seen[number] { state.tally.repeated += 1 }
                state.seen[number] = true
                return nil
            }
            if let error { throw error }
        }

        private static func failure(_ state: inout State) -> SinkError? {
            guard !state.isWell else { return nil }
            if state.failing.calls > 0 {
                state.failing.calls -= 1
                return state.failing.error
            }
            switch UInt16.random(in: 0 ... .max, using: &state.random) {
            case 0..<8: state.failing = (200, SinkError(.busy))
            case 8..<12: state.failing = (50, SinkError(.failed, systemError: ENOSPC))
            case 12..<200: return SinkError(.rejected)
            default: break
            }
            return nil
        }

        private func lost(in fields: [Field]) -> UInt64 {
            guard let field = fields.first(where: { $0.name == "winnow_lost" }),
                case .unsigned(let count) = field.value
            else { return 0 }
            return count
        }
    }
}
