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
    private let sink = ScriptedSink(isNumbered: true)
    private let log = Log("tests.reconfiguration")
    /// No earlier configuration has a sink of that name.
    private let name = "scripted \(UInt64.random(in: .min ... .max))"

    private func install(_ levels: LevelSet, _ mode: DeliveryMode) {
        let route = SinkRoute(name: name, slot: SinkSlot(sink), levels: levels)
        Pipeline.install(
            RoutingPlan(routes: [route], privacy: .redact, delivery: mode)
        )
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

    @Test(arguments: DeliveryMode.both)
    func `a sink is told which records an earlier configuration kept from it`(
        mode: DeliveryMode
    ) throws {
        let sink = ScriptedSink(isNumbered: true)
        let other = ScriptedSink(isNumbered: true)
        func install(_ levels: LevelSet) {
            let routes = [
                SinkRoute(name: "changing, \(mode)", slot: SinkSlot(sink), levels: levels),
                SinkRoute(name: "other, \(mode)", slot: SinkSlot(other), levels: .all),
            ]
            Pipeline.install(
                RoutingPlan(routes: routes, privacy: .redact, delivery: mode)
            )
        }
        install(.all)
        log.info("first")
        install(.upTo(.notice))
        for _ in 0..<2 { log.info("between") }
        install(.upTo(.error))
        log.info("between")
        log.notice("for the other only")
        install(.upTo(.info))
        log.info("last")
        let entries = sink.settledEntries
        let messages = entries.filter { $0.sequence != 0 }.map(\.message)
        #expect(messages == ["first", "last"])
        let reports = entries.filter { $0.sequence == 0 }
        try #require(reports.count == 1)
        #expect(
            reports[0].message == "not for this sink, by the configuration then: 1 notice, 3 info"
        )
        func value(_ name: String) -> UInt64? {
            reports[0].fields.first { $0.name == name }.flatMap { UInt64($0.value.description) }
        }
        #expect(value("winnow_excluded_info") == 3)
        let (first, last) = (
            value("winnow_excluded_info_first"), value("winnow_excluded_info_last")
        )
        #expect(try #require(last) - #require(first) == 2)
        #expect(value("winnow_excluded_notice") == 1)
        #expect(other.entries.allSatisfy { $0.sequence != 0 })
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
        let next = SinkRoute(name: "next", slot: SinkSlot(nextSink), levels: .all)
        Pipeline.install(RoutingPlan(routes: [next], privacy: .show, delivery: mode))
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
            let route = SinkRoute(name: "next", slot: SinkSlot(sink), levels: .all)
            Pipeline.install(
                RoutingPlan(routes: [route], privacy: .redact, delivery: mode)
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

    /// Logs on three threads while the body runs.
    private func logging(_ body: () -> Void) {
        let isOver = Counter()
        let log = log
        let threads = (0..<3).map { _ in
            StartedThread {
                while isOver.value == 0 {
                    log.debug("detail")
                    log.notice("event")
                    usleep(100)
                }
            }
        }
        body()
        isOver.increment()
        threads.forEach { $0.join() }
    }

    /// Each has a sink of its own, which has no record that another one has.
    @Test(arguments: DeliveryMode.both)
    func `a record's number says which configuration takes it`(mode: DeliveryMode) {
        let first = Pipeline.accepted
        var sinks: [ScriptedSink] = []
        logging {
            for index in 0..<60 {
                let sink = ScriptedSink()
                let route = SinkRoute(name: "sink \(index)", slot: SinkSlot(sink), levels: .all)
                Pipeline.install(
                    RoutingPlan(routes: [route], privacy: .redact, delivery: mode)
                )
                sinks.append(sink)
                // On a busy machine the threads may get no processor for a while.
                while Set(sink.programEntries.map(\.level)).count < 2 { usleep(1_000) }
            }
        }
        #expect(Pipeline.flush(within: patience))
        for level in [Level.notice, .debug] {
            let entries = sinks.map { $0.programEntries.filter { $0.level == level } }
            let numbers = entries.map { $0.map(\.levelSequence).sorted() }.filter { !$0.isEmpty }
            #expect(numbers.count == sinks.count)
            for (earlier, later) in zip(numbers, numbers.dropFirst()) {
                #expect(earlier[earlier.count - 1] + 1 == later[0])
            }
            for own in numbers { #expect(own == Array(own[0]...own[own.count - 1])) }
        }
        #expect(Pipeline.accepted > first)
    }

    @Test(arguments: DeliveryMode.both)
    func `no number is missing where threads log meanwhile`(mode: DeliveryMode) {
        install(.all, mode)
        logging {
            for _ in 0..<20 {
                usleep(2_000)
                install(.upTo(.notice), mode)
                usleep(2_000)
                install(.all, mode)
            }
        }
        log.debug("last")
        let entries = sink.settledEntries
        // One that was about to get its number when its level was no longer taken has one, and is told.
        let reports = entries.filter { $0.sequence == 0 }
        let excluded = reports.flatMap(\.fields).filter { $0.name == "winnow_excluded_debug" }
            .compactMap { UInt64($0.value.description) }
        #expect(missing.count == Int(excluded.reduce(0, +)), "\(reports.map(\.message))")
        #expect(entries.contains { $0.level == .debug })
    }
}
