// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support
import Synchronization
import Testing
import Winnow
import WinnowCore
import WinnowPipeline

/// Who calls a sink of the program's own: log calls in immediate delivery, and its own worker.
@Suite(.exclusivePipeline)
struct ForeignSinkCallerTests {
    private static let log = Log("tests.foreign")

    /// A sink that notes which threads call it.
    private final class NotingSink: Sink {
        private let noted = Guarded<Set<pthread_t>>([])
        private let texts = Guarded<[String]>([])
        private let reopenings = Atomic<Int>(0)
        private let onWrite: @Sendable (String) throws(SinkError) -> Void

        init(_ onWrite: @escaping @Sendable (String) throws(SinkError) -> Void = { _ in }) {
            self.onWrite = onWrite
        }

        var threads: Set<pthread_t> { noted.withLock { $0 } }
        var messages: [String] { texts.withLock { $0 } }
        var isReopened: Bool { reopenings.load(ordering: .relaxed) > 0 }

        private func note() { noted.withLock { _ = $0.insert(pthread_self()) } }

        func write(_ record: borrowing Record) throws(SinkError) {
            note()
            let message = record.message
            try onWrite(message)
            texts.withLock { $0.append(message) }
        }

        func flush() { note() }

        func reopen() {
            note()
            reopenings.add(1, ordering: .relaxed)
        }
    }

    private static func install(
        _ sinks: [any Sink],
        _ delivery: DeliveryMode,
        capacity: Int = 4 << 20
    ) {
        let routes = sinks.enumerated().map {
            SinkRoute(name: "sink \($0)", slot: SinkSlot($1), levels: .all, capacity: capacity)
        }
        Pipeline.install(
            RoutingPlan(routes: routes, privacy: .redact, delivery: delivery)
        )
    }

    @Test
    func `in deferred delivery it is its worker, whatever is asked of it`() async {
        await #expect(processExitsWith: .success) {
            let own = NotingSink()
            let saying = NotingSink { if $0 == "of the program" { Self.log.notice("of a sink") } }
            Self.install([own, saying], .deferred)
            Self.log.error("of the program")
            #expect(Pipeline.flush(within: patience))
            Pipeline.reopen()
            while !own.isReopened { usleep(1_000) }
            Self.install([ScriptedSink()], .deferred)
            Pipeline.end()
            #expect(own.messages == ["of the program", "of a sink"])
            #expect(own.threads.count == 1 && saying.threads.count == 1)
            #expect(own.threads.isDisjoint(with: saying.threads.union([pthread_self()])))
        }
    }

    @Test
    func `in immediate delivery it is the caller and its worker, and no other sink's`() {
        let isLate = Counter()
        let saying = NotingSink { text throws(SinkError) in
            if isLate.increment() == 1 { throw SinkError(.busy) }
            if text == "of the program" { for number in 0..<200 { Self.log.notice("\(number)") } }
        }
        let slow = NotingSink { _ in usleep(1_000) }
        // The worker of the first finds no room. A busy machine may leave it none for all that it waits.
        Self.install([saying, slow], .immediate, capacity: 16 * 1_024)
        Self.log.error("of the program")
        #expect(Pipeline.flush(within: patience))
        #expect(saying.messages == ["of the program"])
        #expect(!slow.threads.isEmpty)
        let caller = pthread_self()
        #expect(saying.threads.subtracting([caller]).isDisjoint(with: slow.threads))
    }

    @Test(arguments: [false, true])
    func `a flush that takes its time is waited for`(isDeferred: Bool) {
        let isWritten = Counter()
        let own = OwnSink(
            { _ in isWritten.increment() },
            onFlush: { if isWritten.value > 0 { usleep(100_000) } }
        )
        Self.install([own], isDeferred ? .deferred : .immediate)
        Self.log.error("of the program")
        #expect(Pipeline.flush(within: patience))
        #expect(own.messages == ["of the program"])
        #expect(own.flushes > 0)
    }

    @Test
    func `a flush that fails at first is asked for again`() {
        let count = Counter()
        let own = OwnSink(onFlush: { () throws(SinkError) in
            if count.increment() < 3 { throw SinkError(.busy) }
        })
        Self.install([own], .immediate)
        Self.log.error("of the program")
        #expect(Pipeline.flush(within: patience))
        #expect(count.value >= 3)
    }

    @Test
    func `where no thread may be started it is whoever asks`() async {
        await #expect(processExitsWith: .success) {
            Self.install([ScriptedSink()], .immediate)
            Self.log.error("before")
            // Which holds for all but root.
            if getuid() == 0 { #expect(setuid(65_534) == 0) }
            var none = rlimit(rlim_cur: 0, rlim_max: 0)
            #expect(unsafe setrlimit(__rlimit_resource_t(__RLIMIT_NPROC.rawValue), &none) == 0)
            let own = NotingSink()
            Self.install([own], .immediate)
            Self.log.error("of the program")
            #expect(Pipeline.flush(within: patience))
            Pipeline.reopen()
            #expect(own.isReopened && own.threads == [pthread_self()])
        }
    }

    @Test(arguments: [false, true])
    func `what a sink logs in a late handler of the exit comes to the others at once`(
        isDeferred: Bool
    ) async {
        await #expect(processExitsWith: .success) { [isDeferred = isDeferred as Bool] in
            let saying = NotingSink { if $0 == "behind" { Self.log.notice("of a sink") } }
            let other = NotingSink()
            Self.install([saying, other], isDeferred ? .deferred : .immediate)
            Self.log.error("before")
            Pipeline.end()
            Self.log.error("behind")
            #expect(other.messages == ["before", "behind", "of a sink"])
        }
    }
}
