// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support
import Synchronization
import Testing
import Winnow
import WinnowPipeline

/// Sinks that break their law at the end of the process: the others have their records all the same.
@Suite(.exclusivePipeline)
struct EndingSinkTests {
    /// A sink that does not return from a flush.
    private final class StuckSink: Sink {
        func write(_ record: borrowing Record) throws(SinkError) {}

        func flush() throws(SinkError) {
            while true { sleep(60) }
        }
    }

    /// A sink that ends the process with a record of that text.
    private final class ExitingSink: Sink {
        func write(_ record: borrowing Record) throws(SinkError) {
            if record.message == "exit" { exit(7) }
        }
    }

    /// A sink that takes nothing for a while, and then writes the text of each record to standard output.
    private final class LateSink: Sink {
        let isBusy = Atomic<Bool>(true)

        func write(_ record: borrowing Record) throws(SinkError) {
            if isBusy.load(ordering: .acquiring) { throw SinkError(.busy) }
            let line = Array("\(record.message)\n".utf8)
            _ = unsafe Glibc.write(STDOUT_FILENO, line, line.count)
        }
    }

    /// Has records wait for a sink beside another one, from the end's beginning on for little.
    private static func install(beside sink: any Sink, _ mode: DeliveryMode) {
        let late = LateSink()
        let routes = [
            SinkRoute(name: "late", slot: SinkSlot(late), levels: .all),
            SinkRoute(name: "other", slot: SinkSlot(sink), levels: .all),
        ]
        Pipeline.install(
            RoutingPlan(routes: routes, privacy: .redact, delivery: mode)
        )
        for number in 0..<5 { Log("tests.ending").notice("\(number)") }
        Pipeline.register(ProcessSteps { _ in late.isBusy.store(false, ordering: .releasing) })
        Pipeline.prepareForEnd()
    }

    private func lines(_ result: ExitTest.Result?) -> [String] {
        String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
            .split(separator: "\n").map(String.init)
    }

    private static let numbers = (0..<5).map(String.init)

    @Test func `an exit does not wait for a sink without end`() async {
        let result = await #expect(
            processExitsWith: .exitCode(7),
            observing: [\.standardOutputContent]
        ) {
            alarm(600)
            Self.install(beside: StuckSink(), .immediate)
            exit(7)
        }
        #expect(lines(result).filter(Self.numbers.contains) == Self.numbers)
    }

    @Test func `nor does the end by a signal`() async {
        let result = await #expect(
            processExitsWith: .signal(SIGTERM),
            observing: [\.standardOutputContent]
        ) {
            alarm(600)
            Self.install(beside: StuckSink(), .immediate)
            kill(getpid(), SIGTERM)
            while true { pause() }
        }
        #expect(lines(result).filter(Self.numbers.contains) == Self.numbers)
    }

    @Test func `an exit within a sink delivers to the others what waits`() async {
        let result = await #expect(
            processExitsWith: .exitCode(7),
            observing: [\.standardOutputContent]
        ) {
            alarm(600)
            Self.install(beside: ExitingSink(), .immediate)
            Log("tests.ending").notice("exit")
        }
        #expect(lines(result).filter(Self.numbers.contains) == Self.numbers)
    }
}
