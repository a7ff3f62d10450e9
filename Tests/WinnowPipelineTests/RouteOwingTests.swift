// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support
import Synchronization
import Testing
import Winnow
import WinnowCore
import WinnowPipeline

/// What becomes of a record that a sink has taken a part of, and does not complete.
@Suite(.exclusivePipeline)
struct RouteOwingTests {
    private let owing = HalfSink()
    private let log = Log("tests.owing")

    private func install(_ routes: [SinkRoute]) {
        Pipeline.install(RoutingPlan(routes: routes, privacy: .redact))
    }

    @Test
    func `what a sink has taken in part and cannot complete is told as lost`() {
        install([SinkRoute(name: "half", slot: SinkSlot(owing), levels: .all)])
        log.notice("whole")
        log.warning("half")
        #expect(Pipeline.accounts[0].delivered == 2)
        owing.owe()
        let later = ScriptedSink()
        install([SinkRoute(name: "later", slot: SinkSlot(later), levels: .all)])
        let report = later.entries.first?.message ?? ""
        #expect(
            report.hasPrefix(
                "half: lost 1 record (1 warning): the configuration was replaced; number"
            )
        )
        #expect(later.entries.count == 1)
    }

    @Test
    func `it is lost for the route that has brought it, where several share a sink`() {
        let slot = SinkSlot(owing)
        let routes = [
            SinkRoute(name: "errors", slot: slot, levels: .upTo(.error)),
            SinkRoute(name: "notices", slot: slot, levels: [.notice]),
        ]
        install(routes)
        log.notice("half")
        owing.owe()
        Distribution.abandon(routes, cause: .exit, until: 0)
        let accounts = Pipeline.accounts
        #expect(accounts.map(\.accepted) == [0, 1])
        #expect(accounts.map(\.delivered) == [0, 0])
        #expect(accounts.map(\.lostTotal) == [0, 1])
    }

    @Test
    func `it is told as that route's where both are replaced`() {
        let slot = SinkSlot(owing)
        install([
            SinkRoute(name: "errors", slot: slot, levels: .upTo(.error)),
            SinkRoute(name: "notices", slot: slot, levels: [.notice]),
        ])
        log.notice("half")
        owing.owe()
        let later = ScriptedSink()
        install([SinkRoute(name: "later", slot: SinkSlot(later), levels: .all)])
        #expect(later.entries.count == 1)
        #expect(later.entries.first?.message.hasPrefix("notices: lost 1 record (1 notice)") == true)
    }

    @Test
    func `it is not lost where the sink is one of the next configuration as well`() {
        let slot = SinkSlot(owing)
        install([SinkRoute(name: "before", slot: slot, levels: .all)])
        log.notice("half")
        owing.owe()
        install([SinkRoute(name: "after", slot: slot, levels: .all)])
        #expect(owing.takeOwed().count == 1)
    }

    @Test
    func `a fallback completes what it has taken in part`() {
        let away = ScriptedSink(failing: SinkError(.unavailable))
        let route = SinkRoute(
            name: "away",
            slot: SinkSlot(away),
            levels: .all,
            fallback: SinkSlot(owing)
        )
        install([route])
        log.notice("half")
        #expect(Pipeline.accounts[0].diverted == 1)
        #expect(Pipeline.flush(within: patience))
        owing.owe()
        #expect(!Pipeline.flush(within: 0))
        Distribution.abandon([route], cause: .exit, until: 0)
        let account = Pipeline.accounts[0]
        #expect(account.accepted == 1)
        #expect(account.delivered == 0)
        #expect(account.diverted == 0)
        #expect(account.lostTotal == 1)
    }

    @Test
    func `the end does not wait for one that is not there`() async {
        await #expect(processExitsWith: .success) {
            let owing = HalfSink()
            let route = SinkRoute(name: "half", slot: SinkSlot(owing), levels: .all)
            Pipeline.install(RoutingPlan(routes: [route], privacy: .redact))
            Log("tests.owing").notice("half")
            owing.owe(failing: .unavailable)
            let start = ContinuousClock.now
            Pipeline.end()
            #expect(ContinuousClock.now - start < .seconds(1))
            #expect(Pipeline.accounts[0].lostTotal == 1)
        }
    }

    @Test
    func `a child that is forked while its parent gives up delivers what waits`() async {
        await #expect(processExitsWith: .success) {
            alarm(600)
            let sink = SlowSink()
            let route = SinkRoute(name: "slow", slot: SinkSlot(sink), levels: .all)
            Pipeline.install(RoutingPlan(routes: [route], privacy: .redact))
            Log("tests.owing").notice("before")
            sink.isStuck.store(true, ordering: .releasing)
            let thread = StartedThread { Distribution.abandon([route], cause: .exit, until: .max) }
            while !route.isAbandoned { usleep(1_000) }
            let child = fork_()
            sink.isStuck.store(false, ordering: .releasing)
            guard child == 0 else {
                thread.join()
                var status: Int32 = 0
                #expect(unsafe waitpid(child, &status, 0) == child)
                #expect(status == 7 << 8)
                return
            }
            sink.isBusy.store(true, ordering: .releasing)
            Log("tests.owing").notice("waits")
            sink.isBusy.store(false, ordering: .releasing)
            _exit(Pipeline.flush(within: 5_000_000_000) ? 7 : 1)
        }
    }
}

/// fork(2), which Swift's overlay hides.
@_silgen_name("fork")
private func fork_() -> Int32

/// A sink that is busy, or does not return from a flush, as long as it is told so.
private final class SlowSink: Sink {
    let isBusy = Atomic<Bool>(false)
    let isStuck = Atomic<Bool>(false)

    func write(_ record: borrowing Record) throws(SinkError) {
        if isBusy.load(ordering: .acquiring) { throw SinkError(.busy) }
    }

    func flush() throws(SinkError) {
        while isStuck.load(ordering: .acquiring) { usleep(1_000) }
    }
}

/// A sink that takes each record, and where it is told so no more of them, and of the last one a part.
private final class HalfSink: BuiltInSink {
    private struct State {
        var last: RecordHeader?
        var owed: RecordHeader?
        var isStuck = false
        var code = SinkError.Code.busy
    }

    private let state = Guarded(State())

    func owe(failing code: SinkError.Code = .busy) {
        state.withLock { state in
            state.code = code
            state.owed = state.last
            state.isStuck = true
        }
    }

    func write(_ record: borrowing Record) throws(SinkError) {
        let header = record.header
        if state.withLock({ $0.isStuck }) { throw SinkError(code) }
        state.withLock { $0.last = header }
    }

    func flush() throws(SinkError) {
        if state.withLock({ $0.owed != nil }) { throw SinkError(code) }
    }

    private var code: SinkError.Code { state.withLock { $0.code } }

    var owesRest: Bool { state.withLock { $0.owed != nil } }

    func close() {}

    func takeOwed() -> [RecordHeader] {
        state.withLock { $0.owed.take() }.map { [$0] } ?? []
    }
}
