// SPDX-License-Identifier: Apache-2.0

import Testing
import WinnowPipeline

/// Which sinks are worth waiting for.
struct SinkPaceTests {
    private let millisecond: UInt64 = 1_000_000

    private func look(
        _ pace: inout SinkPace,
        settled: UInt64,
        at milliseconds: UInt64,
        pause: UInt64 = 25
    ) -> Bool {
        pace.look(
            settled: settled,
            at: milliseconds * millisecond,
            period: 25 * millisecond,
            count: 100,
            pause: pause * millisecond
        )
        return pace.isSteady
    }

    @Test func `one that takes enough in each period is, and no other`() {
        var pace = SinkPace()
        #expect(look(&pace, settled: 7, at: 1_000))
        #expect(look(&pace, settled: 7, at: 1_024))
        // Too few in the first period, enough in the next one, and too few in the last.
        #expect(!look(&pace, settled: 106, at: 1_025))
        #expect(!look(&pace, settled: 206, at: 1_049))
        #expect(look(&pace, settled: 206, at: 1_050))
        #expect(!look(&pace, settled: 206, at: 1_075))
    }

    @Test func `of a long time without a look, the mean counts`() {
        var pace = SinkPace()
        #expect(look(&pace, settled: 0, at: 1_000))
        #expect(!look(&pace, settled: 399, at: 1_100))
        #expect(look(&pace, settled: 799, at: 1_200))
    }

    @Test func `one that takes nothing for a while is not, until it moves again`() {
        var pace = SinkPace()
        #expect(look(&pace, settled: 0, at: 1_000, pause: 10))
        #expect(look(&pace, settled: 0, at: 1_009, pause: 10))
        #expect(!look(&pace, settled: 0, at: 1_010, pause: 10))
        #expect(look(&pace, settled: 1, at: 1_011, pause: 10))
    }

    /// One thread reads the clock, and another looks before the first does.
    @Test func `a clock that was read before the last look changes nothing`() {
        var pace = SinkPace()
        #expect(look(&pace, settled: 0, at: 1_000))
        #expect(look(&pace, settled: 0, at: 999))
        #expect(!look(&pace, settled: 0, at: 1_025))
    }

    @Test func `nobody is worth a wait of no length`() {
        var pace = SinkPace()
        for time in 1...3 as ClosedRange<UInt64> {
            let now = time * millisecond
            pace.look(settled: time * 1_000, at: now, period: 0, count: 100, pause: 0)
        }
        #expect(!pace.isSteady)
    }
}
