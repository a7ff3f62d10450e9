// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import Support
import Testing
import Winnow
import WinnowPipeline

/// The times of records that the worker turns stamps into.
@Suite(.exclusivePipeline)
struct DeferredTimeTests {
    private let sink = InMemorySink(capacity: 10_000)
    private let log = Log("tests.time")

    private func install() { install(sink) }

    private func install(_ sink: some Sink) {
        let route = SinkRoute(name: "memory", slot: SinkSlot(sink), levels: .all, capacity: 4 << 20)
        Pipeline.install(
            RoutingPlan(
                routes: [route],
                privacy: .redact,
                delivery: .deferred(
                    patience: 10_000_000_000,
                    ringByteCount: DeliveryMode.defaultRingByteCount
                )
            )
        )
    }

    private var times: [UInt64] {
        _ = Pipeline.flush(within: patience)
        return sink.records.filter { $0.category == "tests.time" }.map(\.timestamp)
    }

    private func now() -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// What a worker that is interrupted at each of its attempts to read the clocks may be wrong by.
    private let slack: UInt64 = 20_000_000

    @Test
    func `a record has the time of its call, however long the worker was idle or busy`() {
        install()
        var calls: [ClosedRange<UInt64>] = []
        // Behind the longer pauses the rate is measured from another moment.
        for pause: UInt32 in [0, 10, 1_000, 1_100_000, 0, 10, 1_000, 1_100_000, 0, 10, 1_000] {
            usleep(pause)
            for _ in 0..<20 {
                let start = now()
                log.notice("\(calls.count)")
                calls.append(start...now())
            }
        }
        let times = times
        #expect(times.count == calls.count)
        for (time, call) in zip(times, calls) {
            #expect(time >= call.lowerBound - slack && time <= call.upperBound + slack)
        }
    }

    @Test
    func `a call within a call has a time of its own`() {
        install()
        struct Logging: CustomStringConvertible, Sendable {
            let log: Log
            var description: String {
                log.notice("within")
                return "outer"
            }
        }
        let start = now()
        log.notice("\(Logging(log: log))")
        let end = now()
        let times = times
        #expect(times.count == 2)
        #expect(times.allSatisfy { $0 >= start - slack && $0 <= end + slack })
    }

    @Test
    func `what waits for the worker is delivered in the order of its times`() {
        let sink = ScriptedSink()
        let (entered, released) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        sink.onWrite { entry in
            guard entry.message == "first" else { return }
            entered.signal()
            released.wait()
        }
        install(sink)
        log.notice("first")
        entered.wait()
        // The worker is kept until all have ended: who is interrupted amid a call comes late in a log.
        logFromThreads(count: 500)
        released.signal()
        let times = sink.settledEntries.filter { $0.category == "tests.time" }.map(\.timestamp)
        #expect(times.count == 2_001)
        #expect(times == times.sorted())
    }

    @Test
    func `the times of a thread increase`() {
        install()
        logFromThreads(count: 2_000)
        _ = Pipeline.flush(within: patience)
        let records = sink.records.filter { $0.category == "tests.time" }
        #expect(records.count == 8_000)
        for thread in 0..<4 {
            let own = records.filter { $0.message.hasPrefix("\(thread) ") }
            #expect(own.map(\.message) == (0..<2_000).map { "\(thread) \($0)" })
            let times = own.map(\.timestamp)
            #expect(times == times.sorted())
        }
    }

    /// Logs "THREAD NUMBER" from four threads, and waits for their end.
    private func logFromThreads(count: Int) {
        let threads = (0..<4).map { thread in
            StartedThread {
                for number in 0..<count { log.info("\(thread) \(number)") }
            }
        }
        for thread in threads { thread.join() }
    }
}
