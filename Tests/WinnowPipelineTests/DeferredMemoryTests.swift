// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support
import Testing
import Winnow
import WinnowPipeline

/// What the rings of deferred delivery take in memory.
@Suite(.exclusivePipeline)
struct DeferredMemoryTests {
    @Test
    func `a thousand short threads lose nothing and leave no ring behind`() async {
        // A process of its own: what others map meanwhile is not counted.
        await #expect(processExitsWith: .success) {
            let test = DeferredTests()
            test.install(.deferred)
            let logFromThreads: (Int) -> Void = { count in
                for _ in 0..<count {
                    StartedThread { Log("tests.deferred").notice("from a short thread") }.join()
                }
                #expect(Pipeline.flush(within: patience))
            }
            // The worker, and the arenas that malloc gives to threads.
            logFromThreads(10)
            let before = virtualByteCount()
            logFromThreads(1_000)
            #expect(test.sink.entries.count == 1_010)
            // A thousand rings would take 254 MiB; malloc may give one more thread an arena, of 64.
            #expect(virtualByteCount() - before < 128 << 20)
        }
    }
}
