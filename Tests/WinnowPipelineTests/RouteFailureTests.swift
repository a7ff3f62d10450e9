// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import Support
import Testing
import Winnow
import WinnowPipeline

/// What the account and the log say of a sink that fails for a while.
@Suite(.exclusivePipeline)
struct RouteFailureTests {
    private let sink = ScriptedSink()
    private let log = Log("tests.failure")

    private func install() {
        let route = SinkRoute(
            name: "scripted",
            slot: SinkSlot(sink),
            levels: .all,
            capacity: 4 << 20
        )
        Pipeline.install(RoutingPlan(routes: [route], privacy: .redact))
    }

    private var account: SinkStatus { Pipeline.accounts[0] }
    private var recoveries: [String] {
        sink.settledEntries.map(\.message).filter { $0.contains("takes records again") }
    }

    @Test
    func `the account says why a sink takes no records, for as long as it does not`() {
        install()
        #expect(account.failure == nil)
        let start = ContinuousClock.now
        let error = SinkError(.failed, systemError: ENOSPC)
        sink.fail(with: error)
        log.notice("waits")
        #expect(account.failure == error)
        #expect(account.description.hasSuffix("; now failed: No space left on device"))
        sink.fail(with: SinkError(.failed, systemError: EIO))
        while account.failure == error { usleep(1_000) }
        #expect(account.failure == SinkError(.failed, systemError: EIO))
        sink.fail(with: nil)
        // More than a second of it is told.
        #expect(recoveries == [] || ContinuousClock.now - start > .seconds(1))
        #expect(account.failure == nil)
        #expect(account.delivered == 1)
    }

    @Test
    func `a sink that cannot be opened anew is named on the other routes`() {
        let other = InMemorySink(capacity: 10)
        Pipeline.install(
            RoutingPlan(
                routes: [
                    SinkRoute(name: "scripted", slot: SinkSlot(sink), levels: .all),
                    SinkRoute(name: "other", slot: SinkSlot(other), levels: .all),
                ],
                privacy: .redact
            )
        )
        Pipeline.reopen()
        #expect(other.records.isEmpty)
        sink.failReopening(with: SinkError(.failed, systemError: EACCES))
        Pipeline.reopen()
        #expect(
            other.records.map(\.message)
                == ["scripted cannot be opened anew: failed: Permission denied"]
        )
        #expect(sink.settledEntries.isEmpty)
    }

    @Test
    func `a sink that is busy has no failure`() {
        install()
        sink.fail(with: SinkError(.busy, systemError: EAGAIN))
        log.notice("waits")
        #expect(account.queued == 1)
        #expect(account.failure == nil)
        sink.fail(with: nil)
        #expect(recoveries == [])
    }

    @Test
    func `a failure of more than a second is told behind it, once`() {
        install()
        log.notice("before")
        sink.fail(with: SinkError(.failed, systemError: EIO))
        log.notice("waits")
        usleep(1_100_000)
        sink.fail(with: nil)
        log.notice("after")
        let recoveries = recoveries
        #expect(recoveries.count == 1)
        #expect(recoveries.first?.hasPrefix("scripted takes records again; for ") == true)
        #expect(recoveries.first?.hasSuffix(" s it did not: failed: Input/output error") == true)
        let messages = sink.entries.map(\.message).filter { !recoveries.contains($0) }
        #expect(messages == ["before", "waits", "after"])
    }
}

/// What the other routes are told of a sink that takes nothing.
@Suite(.exclusivePipeline)
struct RouteNewsTests {
    private let sink = ScriptedSink()
    private let other = ScriptedSink()
    private let log = Log("tests.news")

    private func install(levels: LevelSet = .all, capacity: Int = 4 << 20) {
        let routes = [
            SinkRoute(name: "scripted", slot: SinkSlot(sink), levels: .all, capacity: capacity),
            SinkRoute(name: "other", slot: SinkSlot(other), levels: levels),
        ]
        Pipeline.install(RoutingPlan(routes: routes, privacy: .redact))
    }

    /// What the other route was told, Winnow's own records.
    private var news: [ScriptedSink.Entry] { other.entries.filter { $0.sequence == 0 } }

    /// The seconds that stand behind the beginning of a message; -1 where it has another one.
    private func secondsTold(in entry: ScriptedSink.Entry, behind beginning: String) -> Double {
        guard entry.message.hasPrefix(beginning) else { return -1 }
        let rest = entry.message.dropFirst(beginning.count)
        return Double(rest.prefix { $0.isNumber || $0 == "." }) ?? -1
    }

    private func awaitNews(_ count: Int) {
        while news.count < count { usleep(1_000) }
    }

    @Test(arguments: [SinkError.Code.unavailable, .failed, .busy])
    func `a sink that takes nothing is told on the others while it lasts, and when it ends`(
        code: SinkError.Code
    ) {
        install()
        sink.fail(with: SinkError(code, systemError: EIO))
        for _ in 0..<3 { log.notice("waits") }
        awaitNews(1)
        #expect(news[0].level == .warning)
        #expect(news[0].category == "winnow")
        // One that is only busy may have no processor.
        let seconds = code == .busy ? 5.0 : 1
        let told = secondsTold(in: news[0], behind: "scripted has taken no records for ")
        #expect(told >= seconds)
        #expect(news[0].message.hasSuffix(": \(SinkError(code, systemError: EIO))"))
        // It lasts, and is not told again.
        usleep(1_200_000)
        log.notice("waits")
        #expect(news.count == 1)
        sink.fail(with: nil)
        _ = Pipeline.flush(within: patience)
        awaitNews(2)
        let toldAtEnd = secondsTold(in: news[1], behind: "scripted takes records again, for ")
        #expect(toldAtEnd >= told + 1.1)
        #expect(news[1].message.hasSuffix(" s it did not; none of its records is lost"))
        #expect(sink.programEntries.count == 4)
        // It is in no account.
        #expect(Pipeline.accounts.map(\.accepted) == [4, 4])
        #expect(Pipeline.accounts.map(\.delivered) == [4, 4])
    }

    @Test
    func `what was lost meanwhile is told with the end`() {
        install(capacity: 2_048)
        sink.fail(with: SinkError(.failed, systemError: ENOSPC))
        for _ in 0..<100 { log.debug("a record that finds no room for long") }
        awaitNews(1)
        let lost = Pipeline.accounts[0].lostTotal
        #expect(lost > 0)
        sink.fail(with: nil)
        _ = Pipeline.flush(within: patience)
        awaitNews(2)
        #expect(news[1].message.hasSuffix("; \(lost) of its records are lost"))
    }

    @Test
    func `a sink that is away for less than a second is not told`() {
        install()
        let start = ContinuousClock.now
        sink.fail(with: SinkError(.failed, systemError: EIO))
        log.notice("waits")
        usleep(100_000)
        sink.fail(with: nil)
        _ = Pipeline.flush(within: patience)
        // A machine that was busy has made it longer.
        let isBrief = ContinuousClock.now - start < .seconds(1)
        usleep(100_000)
        #expect(news == [] || !isBrief)
    }

    @Test
    func `a sink that comes and goes is told once a minute`() {
        install()
        for _ in 0..<2 {
            sink.fail(with: SinkError(.failed, systemError: EIO))
            log.notice("waits")
            usleep(1_600_000)
            sink.fail(with: nil)
            _ = Pipeline.flush(within: patience)
        }
        usleep(100_000)
        #expect(news.count == 2, "\(news.map(\.message))")
    }

    @Test
    func `sinks that fail together tell nothing of each other for ever`() {
        install()
        for each in [sink, other] { each.fail(with: SinkError(.failed, systemError: EIO)) }
        log.notice("waits")
        usleep(2_500_000)
        for each in [sink, other] { each.fail(with: nil) }
        _ = Pipeline.flush(within: patience)
        usleep(100_000)
        // Each says of itself how long it failed; of the other it says an end at most.
        #expect(sink.programEntries.count == 1)
        #expect(news.count <= 2)
        #expect(sink.entries.count { $0.sequence == 0 } <= 2)
    }

    @Test
    func `a route that takes no warnings is told nothing`() {
        install(levels: .upTo(.error))
        sink.fail(with: SinkError(.failed, systemError: EIO))
        log.notice("waits")
        usleep(1_700_000)
        sink.fail(with: nil)
        _ = Pipeline.flush(within: patience)
        usleep(100_000)
        #expect(news == [])
    }
}

/// What becomes of records that a sink has not taken when its time is over.
@Suite(.exclusivePipeline)
struct RouteEndTests {
    private let sink = ScriptedSink(failing: SinkError(.failed, systemError: EIO))
    private let log = Log("tests.end")

    @Test
    func `a slow sink ends the record that it is in, and is told which others are lost`() {
        let route = SinkRoute(name: "slow", slot: SinkSlot(sink), levels: .all)
        Pipeline.install(RoutingPlan(routes: [route], privacy: .redact))
        for number in 1...3 { log.notice("\(number)") }
        let entered = DispatchSemaphore(value: 0)
        let left = DispatchSemaphore(value: 0)
        // The attempt that finds this fails still, the next one waits within the sink.
        sink.onWrite { _ in
            sink.onWrite { _ in
                sink.onWrite(nil)
                entered.signal()
                left.wait()
            }
            sink.fail(with: nil)
        }
        entered.wait()
        let ending = StartedThread { Distribution.abandon([route], cause: .exit, until: .max) }
        while !route.isAbandoned { usleep(1_000) }
        left.signal()
        ending.join()
        let account = Pipeline.accounts[0]
        #expect(account.delivered == 1)
        #expect(account.lost[.exit]?.total == 2)
        #expect(sink.programEntries.map(\.message) == ["1"])
        #expect(
            sink.entries.filter { $0.message.hasPrefix("lost 2 records (2 notice): ") }.count == 1
        )
        #expect(route.isAbandoned == false)
    }
}
