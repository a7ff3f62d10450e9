// SPDX-License-Identifier: Apache-2.0

import Testing
import WinnowCore
import WinnowRedirect

struct RuleCacheTests {
    @Test
    func `an origin is asked for once for each stream`() {
        var cache = RuleCache(RuleSet([.origin("A", .drop).on(.stderr)], otherwise: .pass))
        var asked: [Int] = []
        func decided(_ number: Int, _ stream: PrintedStream) -> RedirectDecision {
            let line: [UInt8] = [0x61]
            return unsafe line.withUnsafeBytes { bytes in
                unsafe cache.decide(bytes, number: number, stream: stream) {
                    asked.append(number)
                    return LineOrigin(name: number == 7 ? "A" : "B")
                }
            }
        }

        for _ in 0..<3 {
            #expect(decided(7, .stdout) == .pass)
            #expect(decided(7, .stderr) == .drop)
            #expect(decided(0, .stderr) == .pass)
        }
        #expect(asked == [7, 7, 0])
        let largest = RuleCache.originLimit - 1
        #expect(decided(largest, .stderr) == .pass)
        #expect(decided(largest, .stderr) == .pass)
        #expect(asked == [7, 7, 0, largest])
    }

    @Test(arguments: [-1, .min, .max, RuleCache.originLimit])
    func `a number beyond the limit is right, and not remembered`(number: Int) {
        var cache = RuleCache(RuleSet([.origin("A", .drop)], otherwise: .pass))
        var askedCount = 0
        for _ in 0..<2 {
            let decision = unsafe cache.decide(
                UnsafeRawBufferPointer(start: nil, count: 0),
                number: number,
                stream: .stdout
            ) {
                askedCount += 1
                return LineOrigin(name: "A")
            }
            #expect(decision == .drop)
        }
        #expect(askedCount == 2)
    }
}
