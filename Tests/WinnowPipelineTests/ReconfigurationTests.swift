// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support
import Synchronization
import Testing
import Winnow
import WinnowPipeline

/// Records that are on their way while the levels of the routes change.
@Suite(.exclusivePipeline)
struct ReconfigurationTests {
    private let sink = ScriptedSink()
    private let log = Log("tests.reconfiguration")

    private func install(_ levels: LevelSet, _ mode: DeliveryMode) {
        let route = Route(name: "scripted", outlet: Outlet(sink), levels: levels)
        Pipeline.install(Topology(routes: [route], privacy: .redact, delivery: mode) { _ in .all })
    }

    private func configuring(_ levels: LevelSet, _ mode: DeliveryMode) -> String {
        install(levels, mode)
        return "on its way"
    }

    private static var now: UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// The numbers that no record has which the sink got.
    private var missing: Set<UInt64> {
        let numbers = sink.settledEntries.map(\.sequence).filter { $0 != 0 }
        guard let first = numbers.min(), let last = numbers.max() else { return [] }
        return Set(first...last).subtracting(numbers)
    }

    @Test(arguments: DeliveryMode.both)
    func `a record that no route takes any more is filtered, and has no number`(mode: DeliveryMode)
    {
        install(.all, mode)
        log.debug("first")
        log.debug("\(configuring(.upTo(.notice), mode))")
        log.notice("between")
        install(.all, mode)
        log.debug("last")
        let messages = sink.settledEntries.filter { $0.sequence != 0 }.map(\.message)
        #expect(messages == ["first", "between", "last"])
        #expect(missing.isEmpty)
    }

    /// What waits for the sink of a configuration is delivered when the next one is there already.
    @Test(arguments: DeliveryMode.both)
    func `what waits keeps the privacy of its configuration, and its sink may log`(
        mode: DeliveryMode
    ) {
        install(.all, mode)
        sink.fail(with: SinkError(.busy))
        log.notice("token \("secret", privacy: .private)")
        #expect(!Pipeline.flush(within: 50_000_000))
        let sink = sink
        let recovery = StartedThread {
            while Pipeline.accounts.first?.name != "next" { usleep(100) }
            sink.fail(with: nil)
        }
        let nextSink = ScriptedSink()
        sink.onWrite { entry in
            if Pipeline.accounts.first?.name == "next" {
                Log("sink").notice("took \(entry.message)")
            }
        }
        let next = Route(name: "next", outlet: Outlet(nextSink), levels: .all)
        Pipeline.install(Topology(routes: [next], privacy: .show, delivery: mode) { _ in .all })
        recovery.join()
        #expect(Pipeline.flush(within: patience))
        #expect(sink.programEntries.map(\.message) == ["token <private>"])
        // What the sink of an earlier configuration logs comes to those of the present one.
        let taken = Set(nextSink.programEntries.map(\.message))
        #expect(taken == ["took token <private>"])
    }

    @Test(arguments: DeliveryMode.both)
    func `a sink that starts the log anew waits for nobody`(mode: DeliveryMode) {
        install(.all, mode)
        log.notice("first")
        let took = Atomic<UInt64>(0)
        sink.onWrite { [sink] entry in
            guard entry.message == "go" else { return }
            let begin = Self.now
            let route = Route(name: "next", outlet: Outlet(sink), levels: .all)
            Pipeline.install(
                Topology(routes: [route], privacy: .redact, delivery: mode) { _ in .all }
            )
            took.store(Self.now - begin, ordering: .relaxed)
        }
        log.notice("go")
        #expect(Pipeline.flush(within: patience))
        sink.onWrite(nil)
        log.notice("behind")
        let messages = sink.settledEntries.filter { $0.sequence != 0 }.map(\.message)
        #expect(messages == ["first", "go", "behind"])
        // The worker would have waited for itself for two seconds.
        let time = took.load(ordering: .relaxed)
        #expect(time < 1_500_000_000)
    }

    @Test(arguments: DeliveryMode.both)
    func `no number is missing where threads log meanwhile`(mode: DeliveryMode) {
        install(.all, mode)
        let isOver = Counter()
        let log = log
        let threads = (0..<3).map { _ in
            StartedThread {
                while isOver.value == 0 {
                    log.debug("detail")
                    log.notice("event")
                    usleep(20)
                }
            }
        }
        for _ in 0..<20 {
            usleep(2_000)
            install(.upTo(.notice), mode)
            usleep(2_000)
            install(.all, mode)
        }
        isOver.increment()
        threads.forEach { $0.join() }
        log.debug("last")
        #expect(missing.isEmpty)
        #expect(sink.entries.contains { $0.level == .debug })
    }
}
