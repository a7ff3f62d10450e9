// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support
import Synchronization
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

    @Test
    func `what a thread maps beside its ring is given back with it`() async {
        await #expect(processExitsWith: .success) {
            let test = DeferredTests()
            test.install(.deferred)
            let hasStack = Atomic<Int>(0)
            let logFromThreads: (Int) -> Void = { count in
                for _ in 0..<count {
                    StartedThread {
                        Log("tests.deferred").notice("from a short thread")
                        var stack = unsafe stack_t()
                        unsafe sigaltstack(nil, &stack)
                        let isThere = unsafe stack.ss_flags & Int32(SS_DISABLE) == 0
                        hasStack.add(isThere ? 1 : 0, ordering: .relaxed)
                    }.join()
                }
                #expect(Pipeline.flush(within: patience))
            }
            logFromThreads(10)
            let before = mappingCount()
            logFromThreads(200)
            // A stack for the handler of a signal, which the thread's own may have no room for.
            let count = hasStack.load(ordering: .relaxed)
            #expect(count == 210)
            // It has two mappings; malloc may give one more thread an arena.
            #expect(mappingCount() - before < 20)
        }
    }

    @Test
    func `a thread keeps the stack that it has for the handlers of signals`() async {
        await #expect(processExitsWith: .success) {
            let test = DeferredTests()
            test.install(.deferred)
            StartedThread {
                let size = 65_536
                let own = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
                var stack = unsafe stack_t(ss_sp: own, ss_flags: 0, ss_size: size)
                unsafe sigaltstack(&stack, nil)
                Log("tests.deferred").notice("from a thread with a stack for signals")
                unsafe sigaltstack(nil, &stack)
                let isOwn = unsafe stack.ss_sp == own
                #expect(isOwn)
            }.join()
            #expect(Pipeline.flush(within: patience))
        }
    }

    @Test
    func `a thread takes no page fault for its ring while its bursts are short`() async {
        await #expect(processExitsWith: .success) {
            let test = DeferredTests()
            test.install(.deferred)
            StartedThread {
                let log = Log("tests.deferred")
                let text = String(repeating: "x", count: 200)
                var count = 0
                for burst in 0..<80 {
                    let before = Self.pageFaultCount()
                    for _ in 0..<10 { log.notice("\(text)") }
                    // What the first calls need of the thread's memory is not the ring's.
                    if burst >= 4 { count += Self.pageFaultCount() - before }
                    #expect(Pipeline.flush(within: patience))
                }
                // The bursts fill more than 45 pages.
                #expect(count < 10)
            }.join()
            #expect(test.sink.entries.count == 800)
        }
    }

    /// The page faults that the thread has taken without a read from a disk.
    private static func pageFaultCount() -> Int {
        var usage = rusage()
        // RUSAGE_THREAD, which glibc keeps from those who do not ask for GNU's names.
        unsafe getrusage(1, &usage)
        return usage.ru_minflt
    }
}
