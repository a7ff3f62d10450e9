// SPDX-License-Identifier: Apache-2.0

import CWinnow
import Glibc
import Support
import Synchronization
import Testing
import Winnow
import WinnowPipeline

/// When the worker naps and sleeps, and that nothing is left to wait for one that sleeps.
///
/// What is left is found by nobody: such a test ends at its time limit.
@Suite(.exclusivePipeline)
struct DeferredSleepTests {
    private let sink = ScriptedSink()
    private let log = Log("tests.sleep")

    private func install() {
        let route = SinkRoute(
            name: "scripted",
            slot: SinkSlot(sink),
            levels: .all,
            capacity: 4 << 20
        )
        Pipeline.install(
            RoutingPlan(routes: [route], privacy: .redact, delivery: .deferred)
        )
    }

    private func isWorker(_ state: cwinnow_worker_sleep) -> Bool {
        cwinnow_worker_state() == UInt32(state.rawValue)
    }

    private func awaitSleep() {
        while !isWorker(cwinnow_worker_asleep) { usleep(100) }
    }

    /// Returns about when the worker falls asleep: each time after another number of its naps, and some
    /// hundred nanoseconds later in the round that follows.
    ///
    /// Between the look at a ring and the word that it is asleep are a few microseconds.
    private func awaitMoment(_ number: Int) {
        for _ in 0..<1 + number % 8 {
            while isWorker(cwinnow_worker_awake) { sched_yield() }
            while isWorker(cwinnow_worker_napping) { sched_yield() }
        }
        let start = cwinnow_clock_monotonic()
        let delay = UInt64(number * 7 % 40) * 250
        while cwinnow_clock_monotonic() - start < delay {}
    }

    /// Waits until something is so, without a flush, which would wake the worker.
    private func poll(_ condition: () -> Bool) {
        while !condition() { usleep(50) }
    }

    @Test
    func `the worker falls asleep by itself, and each record wakes it`() {
        install()
        for number in 0..<50 {
            log.notice("\(number)")
            poll { sink.entries.count > number }
            awaitSleep()
        }
        #expect(sink.entries.map(\.message) == (0..<50).map(String.init))
    }

    @Test
    func `after a record the worker naps before it sleeps`() {
        install()
        StartedThread {
            // One that was stopped for long enough has no time left for naps.
            repeat {
                log.notice("x")
                while isWorker(cwinnow_worker_asleep) { sched_yield() }
                while isWorker(cwinnow_worker_awake) { sched_yield() }
            } while !isWorker(cwinnow_worker_napping)
        }.join()
        #expect(account.lostTotal == 0)
    }

    @Test
    func `a record that comes as the worker falls asleep wakes it`() {
        install()
        let count = 160
        StartedThread {
            for number in 0..<count {
                log.notice("\(number)")
                poll { sink.entries.count > number }
                awaitMoment(number)
            }
        }.join()
        let isWhole = sink.entries.map(\.message) == (0..<count).map(String.init)
        #expect(isWhole)
    }

    @Test
    func `the first record of a thread that comes as the worker falls asleep wakes it`() {
        install()
        let count = 80
        for number in 0..<count {
            log.notice("awake")
            StartedThread {
                awaitMoment(number)
                log.notice("\(number)")
            }.join()
            poll { sink.entries.count == 2 * (number + 1) }
        }
        let messages = sink.entries.map(\.message).filter { $0 != "awake" }
        let isWhole = messages == (0..<count).map(String.init)
        #expect(isWhole)
    }

    @Test
    func `what is lost as the worker falls asleep is counted`() {
        install()
        let count: UInt64 = 160
        StartedThread {
            log.notice("the thread has a ring")
            let ring = unsafe cwinnow_ring_get().ready
            guard let ring = unsafe ring else { return }
            for number in 1...count {
                awaitMoment(Int(number))
                // What a call does that finds no room.
                unsafe cwinnow_ring_lose(ring, Level.debug.rawValue, cwinnow_clock_realtime())
                cwinnow_worker_wake()
                poll { account.lostTotal == number }
            }
        }.join()
        #expect(account.lost[.overflow]?[.debug] == count)
    }

    @Test
    func `a flush waits for no other thread to wake the worker`() {
        install()
        log.notice("first")
        poll { !sink.entries.isEmpty }
        for number in 0..<20 {
            awaitSleep()
            // What a call does that is stopped before it wakes the worker.
            cwinnow_worker_set_state(UInt32(cwinnow_worker_awake.rawValue))
            log.notice("\(number)")
            #expect(Pipeline.flush(within: 600_000_000_000))
        }
        #expect(sink.entries.count == 21)
    }

    @Test
    func `either the call sees that the worker is asleep, or the worker what the call has left`() {
        install()
        log.notice("the process has a worker")
        poll { !sink.entries.isEmpty }
        awaitSleep()
        // It stays where it is: nobody wakes it, whatever this says of it.
        let rendezvous = Rendezvous()
        let threads = [
            StartedThread { rendezvous.produce() }, StartedThread { rendezvous.consume() },
        ]
        for thread in threads { thread.join() }
        #expect(rendezvous.missed == 0)
        cwinnow_worker_wake()
    }

    private var account: SinkStatus { Pipeline.accounts[0] }
}

/// A call that leaves a record and a worker that falls asleep, at the same time and over and over.
private final class Rendezvous: Sendable {
    /// As many rounds as there is time for, in nanoseconds: each may wait for a processor, and both
    /// threads spin.
    private static let count = 20_000
    private static let time: UInt64 = 2_000_000_000

    private let begun = Atomic(0)
    private let ended = Atomic(0)
    private let wakes = Atomic(false)
    private let missedCount = Counter()
    private let ring = RingOfTest()

    /// How often neither has seen the other.
    var missed: Int { missedCount.value }

    /// The calls.
    func produce() {
        for round in 1... {
            var begun = 0
            while begun < round { begun = self.begun.load(ordering: .acquiring) }
            if begun == .max { break }
            wakes.store(ring.close(), ordering: .relaxed)
            ended.store(round, ordering: .releasing)
        }
        cwinnow_ring_set(nil, nil)
    }

    /// The worker.
    func consume() {
        let start = cwinnow_clock_monotonic()
        for round in 1...Self.count where cwinnow_clock_monotonic() - start < Self.time {
            cwinnow_worker_set_state(UInt32(cwinnow_worker_awake.rawValue))
            let before = ring.published
            begun.store(round, ordering: .releasing)
            for _ in 0..<round % 64 { _ = begun.load(ordering: .acquiring) }
            cwinnow_worker_set_state(UInt32(cwinnow_worker_asleep.rawValue))
            let isSeen = ring.published != before
            while ended.load(ordering: .acquiring) < round {}
            if !isSeen, !wakes.load(ordering: .relaxed) { missedCount.increment() }
        }
        begun.store(.max, ordering: .releasing)
    }
}

/// A ring of no thread, for records of a header only.
@safe
private final class RingOfTest: @unchecked Sendable {
    // SAFETY: one thread closes records, and the other asks for the position that is published.
    private let ring: UnsafeMutablePointer<cwinnow_ring>

    init() {
        guard let made = unsafe cwinnow_ring_make(1 << 20) else { fatalError("no memory") }
        unsafe ring = unsafe made
    }

    deinit {
        unsafe cwinnow_ring_free(ring)
    }

    var published: UInt64 { unsafe cwinnow_ring_published(ring) }

    func close() -> Bool {
        unsafe cwinnow_ring_close(ring, ring.pointee.cursor + 16, 0)
    }
}
