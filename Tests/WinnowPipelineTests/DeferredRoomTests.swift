// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support
import Synchronization
import Testing
import Winnow
import WinnowPipeline

/// What is written to a ring behind a record that found no room there.
@Suite(.exclusivePipeline)
struct DeferredRoomTests {
    private let sink = ScriptedSink()
    private let log = Log("tests.room")

    /// A round: with the sink blocked so many records, one that may be lost, and one that is long.
    private func fill(_ count: Int, round: Int) -> [String] {
        let gate = Counter()
        let entered = Counter()
        sink.onWrite { _ in
            entered.increment()
            while gate.value == 0 { usleep(100) }
        }
        var texts = (0...count).map { "\(round).\($0) " + String(repeating: "x", count: 6_000) }
        for text in texts {
            log.error("\(text)")
            while entered.value == 0 { usleep(100) }
        }
        log.debug("may be lost")
        texts.append("\(round) " + String(repeating: "y", count: 40_000))
        log.error("\(texts[texts.count - 1])")
        sink.onWrite(nil)
        gate.increment()
        return texts
    }

    /// The end of the storage is skipped for a record which then has no room for its level; the
    /// next one, of another level, must know where its room ends now.
    @Test
    func `a long text behind a lost record overwrites nothing`() {
        let mode = DeliveryMode.deferred(patience: 0, ringByteCount: 64 * 1_024)
        let route = SinkRoute(name: "scripted", slot: SinkSlot(sink), levels: .all)
        Pipeline.install(
            RoutingPlan(routes: [route], privacy: .redact, delivery: mode)
        )
        for round in 0..<200 {
            let before = Pipeline.accounts[0]
            let texts = fill(4 + round % 5, round: round)
            let delivered = sink.settledEntries.filter { $0.level == .error }.map(\.message)
            let after = Pipeline.accounts[0]
            let lost = Int(after.lostTotal - before.lostTotal)
            #expect(after.accepted == after.delivered + after.lostTotal)
            // All but the first waited while the sink was blocked in that one.
            #expect(Winnow.status.ringHighWater >= 3 * 6_000)
            // What was delivered of the round is of its texts, in order, each whole.
            let ofRound = delivered.filter {
                $0.hasPrefix("\(round).") || $0.hasPrefix("\(round) ")
            }
            var rest = ofRound[...]
            for text in texts where rest.first == text { rest.removeFirst() }
            #expect(rest.isEmpty)
            #expect(ofRound.count >= texts.count - lost)
        }
    }
}
