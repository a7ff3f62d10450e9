// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support
import Testing
import Winnow
import WinnowPipeline

/// What a process says of records that calls of immediate delivery are inside a sink with when it ends.
@Suite(.exclusivePipeline)
struct InFlightEndTests {
    private static let log = Log("tests.flight")

    private static func install(_ name: String, _ slot: SinkSlot, beside others: SinkSlot...) {
        let others = others.map { SinkRoute(name: "other", slot: $0, levels: .all) }
        let routes = [SinkRoute(name: name, slot: slot, levels: .all)] + others
        Pipeline.install(
            RoutingPlan(routes: routes, privacy: .redact, delivery: .immediate)
        )
    }

    /// Has a thread log a record with which it stays inside the sink, and waits until it does.
    private static func stay(in slot: (Counter) -> SinkSlot) {
        let isInside = Counter()
        install("stuck", slot(isInside))
        _ = StartedThread { log.error("of the program") }
        while isInside.value == 0 { usleep(1_000) }
    }

    /// A sink of the program's own that logs, and then does not return.
    private static func own(_ isInside: Counter) -> SinkSlot {
        .shared(
            by: OwnSink { _ in
                log.error("of a sink")
                isInside.increment()
                while true { sleep(60) }
            }
        )
    }

    /// One of Winnow's that does not return, as from a disk that does not answer.
    private static func builtIn(_ isInside: Counter) -> SinkSlot {
        let disk = ScriptedSink()
        disk.onWrite { _ in
            isInside.increment()
            while true { sleep(60) }
        }
        return SinkSlot(disk)
    }

    /// Where the handlers of some signals lie; 0 for the default.
    private static var handlers: [Int] {
        [SIGTERM, SIGSEGV, SIGABRT].map { number in
            var found = sigaction()
            _ = unsafe sigaction(number, nil, &found)
            return unsafe unsafeBitCast(found.__sigaction_handler.sa_handler, to: Int.self)
        }
    }

    private func lastWords(_ result: ExitTest.Result?) -> String {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }

    @Test
    func `a signal counts them`() async {
        let result = await #expect(
            processExitsWith: .signal(SIGTERM),
            observing: [\.standardErrorContent]
        ) {
            Self.stay(in: Self.own)
            kill(getpid(), SIGTERM)
            while true { sleep(60) }
        }
        #expect(lastWords(result).contains("stuck: lost 2 records (2 error)"))
    }

    @Test
    func `a second signal, which does not wait, counts them`() async {
        let result = await #expect(
            processExitsWith: .signal(SIGTERM),
            observing: [\.standardErrorContent]
        ) {
            Self.stay(in: Self.own)
            kill(getpid(), SIGTERM)
            // Later than what counts as one with the first, and before the end of the wait.
            usleep(700_000)
            kill(getpid(), SIGTERM)
            while true { sleep(60) }
        }
        // The latter where the machine is so busy that the wait was over before.
        let words = lastWords(result)
        #expect(
            words.contains("lost in the queues: 2") || words.contains("lost 2 records (2 error)")
        )
    }

    @Test
    func `a process that aborts within a sink says that the record is lost`() async {
        let result = await #expect(
            processExitsWith: .signal(SIGABRT),
            observing: [\.standardErrorContent]
        ) {
            Self.install("fatal", .shared(by: OwnSink { _ in abort() }))
            Self.log.error("the last")
        }
        #expect(lastWords(result).contains("fatal: lost 1 record (1 error)"))
    }

    @Test
    func `a fault within a sink that the program handles is told before that`() async {
        let result = await #expect(
            processExitsWith: .exitCode(9),
            observing: [\.standardErrorContent]
        ) {
            signal(SIGSEGV) { _ in _exit(9) }
            let faulty = OwnSink { _ in _ = unsafe UnsafePointer<UInt8>(bitPattern: 8)?.pointee }
            Self.install("faulty", .shared(by: faulty))
            Self.log.error("the last")
        }
        #expect(lastWords(result).contains("a fault, while 1 record waits for the sinks: lost"))
    }

    @Test(arguments: [false, true])
    func `an exit says what has not come back from a sink of Winnow's`(
        isReplaced: Bool
    ) async {
        let result = await #expect(
            processExitsWith: .success,
            observing: [\.standardErrorContent]
        ) { [isReplaced = isReplaced as Bool] in
            if isReplaced { Self.install("first", SinkSlot(ScriptedSink())) }
            Self.stay(in: Self.builtIn)
            Pipeline.end()
        }
        #expect(lastWords(result).contains("stuck: lost 1 record (1 error): the program ended"))
    }

    @Test
    func `the numbers of a report embrace a record that never came`() async {
        await #expect(processExitsWith: .success) {
            let isInside = Counter()
            let memory = InMemorySink()
            Self.install("stuck", Self.builtIn(isInside), beside: .shared(by: memory))
            _ = StartedThread { Self.log.error("first") }
            while isInside.value == 0 { usleep(1_000) }
            for _ in 0..<3 { Self.log.error("later") }
            Pipeline.end()
            let fields = memory.records.flatMap(\.fields)
            let bounds = ["", "_first", "_last"].map { end in
                fields.first { $0.name == "winnow_lost_error" + end }?.value
            }
            #expect(memory.records.first?.message == "later")
            #expect(bounds == [.unsigned(1), .unsigned(1), .unsigned(4)])
        }
    }

    @Test
    func `a program that keeps its log in memory keeps its signals`() async {
        await #expect(processExitsWith: .success) {
            let before = Self.handlers
            let memory = InMemorySink()
            Self.install("memory", .shared(by: memory))
            Self.log.error("kept")
            #expect(memory.records.map(\.message) == ["kept"])
            #expect(Self.handlers == before)
            Self.install("own", .shared(by: OwnSink()))
            Self.log.error("taken")
            #expect(Self.handlers != before)
        }
    }
}
