// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support
import Testing
import WinnowPipeline

struct LockTests {
    /// What a lock guards, and no atomic does.
    private final class Guarded: @unchecked Sendable {
        // SAFETY: read and written with the lock held.
        let lock = Lock(.leaf)
        var count = 0
        var isOpen = false
    }

    @Test func `one thread at a time is inside`() {
        let guarded = Guarded()
        let threads = (0..<8).map { number in
            StartedThread {
                for round in 0..<20_000 {
                    // Some wait for it, some try, some with a bound that they never reach.
                    switch (number + round) % 3 {
                    case 0: guarded.lock.acquire()
                    case 1: while !guarded.lock.tryAcquire() { sched_yield() }
                    default: while !guarded.lock.acquire(within: 60_000_000_000) {}
                    }
                    let before = guarded.count
                    if round % 1_000 == 0 { sched_yield() }
                    guarded.count = before + 1
                    guarded.lock.release()
                }
            }
        }
        threads.forEach { $0.join() }
        #expect(guarded.count == 160_000)
    }

    @Test func `one that is held is not acquired, however long the wait, until it is released`() {
        let lock = Lock(.leaf)
        lock.acquire()
        StartedThread {
            #expect(!lock.tryAcquire())
            #expect(!lock.acquire(within: 0))
            #expect(!lock.acquire(within: 2_000_000))
        }.join()
        lock.release()
        #expect(lock.tryAcquire())
        // Whoever waited in vain leaves it as it was.
        lock.release()
        #expect(lock.acquire(within: 0))
        lock.release()
    }

    @Test func `a thread that waits for a lock gets it from the one that holds it`() {
        let guarded = Guarded()
        guarded.lock.acquire()
        let thread = StartedThread {
            guarded.lock.acquire()
            guarded.count += 1
            guarded.lock.release()
        }
        for _ in 0..<100 { sched_yield() }
        guarded.count = 41
        guarded.lock.release()
        thread.join()
        #expect(guarded.count == 42)
    }

    @Test func `a wake ends every wait, and waiting gives the lock back meanwhile`() {
        let guarded = Guarded()
        let threads = (0..<4).map { _ in
            StartedThread {
                guarded.lock.withLock {
                    guarded.count += 1
                    while !guarded.isOpen { guarded.lock.wait(0) }
                }
            }
        }
        while guarded.lock.withLock({ guarded.count }) < 4 { sched_yield() }
        guarded.lock.withLock { guarded.isOpen = true }
        guarded.lock.wake()
        threads.forEach { $0.join() }
    }

    @Test func `a wait ends with its time, and holds the lock then`() {
        let lock = Lock(.leaf)
        lock.acquire()
        lock.wait(1_000_000)
        #expect(!lock.tryAcquire())
        lock.release()
    }

    @Test func `a lock that is reset is free`() {
        let lock = Lock(.leaf)
        lock.acquire()
        lock.reset()
        #expect(lock.tryAcquire())
        lock.release()
    }

    @Test func `a thread waits only for locks of later ranks than those it holds`() async {
        let (sink, account) = (Lock(.sink), Lock(.account))
        sink.acquire()
        #expect(!LockRank.worker.mayBeAwaited)
        #expect(!LockRank.sink.mayBeAwaited)
        #expect(LockRank.account.mayBeAwaited)
        account.acquire()
        // As a fork does with the accounts of all routes.
        #expect(LockRank.account.mayBeAwaited)
        #expect(!LockRank.sink.mayBeAwaited)
        sink.release()
        #expect(!LockRank.sink.mayBeAwaited)
        #expect(LockRank.unranked.mayBeAwaited)
        account.release()
        #expect(LockRank.start.mayBeAwaited)
    }

    @Test func `a wait against the order ends a debug build`() async {
        await #expect(processExitsWith: .failure) {
            let (sink, leaf) = (Lock(.sink), Lock(.leaf))
            leaf.acquire()
            // With a bound it is no more than a wait in vain.
            guard sink.acquire(within: 1) else { exit(0) }
            sink.release()
            sink.acquire()
            exit(0)
        }
    }
}
