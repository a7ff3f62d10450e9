// SPDX-License-Identifier: Apache-2.0

import Testing
import WinnowCore
import WinnowPipeline

/// From when on it is told that a sink takes nothing.
struct StallTests {
    private func stall(_ code: SinkError.Code) -> Stall {
        Stall(begin: 7_000_000_000, lostBefore: 0, error: SinkError(code))
    }

    @Test(
        arguments: [
            (SinkError.Code.failed, 1), (.unavailable, 1), (.busy, 5),
        ] as [(SinkError.Code, UInt64)]
    )
    func `a stall is told after a second, and after five where the sink is busy`(
        code: SinkError.Code,
        seconds: UInt64
    ) {
        let stall = stall(code)
        let end = stall.begin + seconds * 1_000_000_000
        #expect(!stall.isNotable(at: stall.begin))
        #expect(!stall.isNotable(at: end - 1))
        #expect(stall.isNotable(at: end))
    }

    @Test func `a sink stands still where none that waits is settled for five seconds`() {
        let second: UInt64 = 1_000_000_000
        var watch = WaitWatch()
        #expect(watch.look(isFirst: true, settled: 3, at: 7 * second) == nil)
        #expect(watch.look(isFirst: false, settled: 3, at: 12 * second - 1) == nil)
        #expect(watch.look(isFirst: false, settled: 3, at: 12 * second) == 7 * second)
        // One was settled: it begins anew, as it does where none waits.
        #expect(watch.look(isFirst: false, settled: 4, at: 13 * second) == nil)
        #expect(watch.look(isFirst: false, settled: 4, at: 18 * second) == 13 * second)
        #expect(watch.look(isFirst: true, settled: 4, at: 99 * second) == nil)
        // Another thread has read the clock later.
        #expect(watch.look(isFirst: false, settled: 4, at: 98 * second) == nil)
    }

    /// One thread reads the clock, another finds that the sink takes nothing before the first has the
    /// account.
    @Test func `one that began after the clock was read has no length`() {
        let stall = stall(.failed)
        #expect(stall.duration(at: stall.begin - 1) == 0)
        #expect(!stall.isNotable(at: 0))
        #expect(stall.duration(at: stall.begin + 3) == 3)
    }
}
