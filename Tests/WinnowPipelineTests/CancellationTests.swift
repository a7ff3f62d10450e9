// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support
import Synchronization
import Testing
import Winnow
import WinnowPipeline

/// What becomes of the log where a thread that logs is cancelled, pthread_cancel(3).
@Suite(.exclusivePipeline)
struct CancellationTests {
    private static let log = Log("tests.cancellation")

    /// A sink that can be cancelled in all that it does, as what sleeps or reads can.
    private final class SleepySink: Sink {
        let writes = Atomic<Int>(0)
        let others = Atomic<Int>(0)

        func write(_ record: borrowing Record) throws(SinkError) {
            usleep(1)
            writes.add(1, ordering: .relaxed)
        }

        func flush() throws(SinkError) {
            usleep(1)
            others.add(1, ordering: .relaxed)
        }

        func reopen() throws(SinkError) {
            usleep(1)
            others.add(1, ordering: .relaxed)
        }
    }

    private static func install(_ sink: some Sink) {
        let route = SinkRoute(name: "sink", slot: SinkSlot(sink), levels: .all)
        Pipeline.install(RoutingPlan(routes: [route], privacy: .redact))
    }

    /// Runs the body on a thread that is being cancelled: at the first function that can be.
    private static func runCancelled(_ body: @escaping @Sendable () -> Void) {
        StartedThread {
            pthread_cancel(pthread_self())
            body()
            pthread_testcancel()
            fatalError("the thread was not cancelled")
        }.join()
    }

    @Test
    func `a sink of the program's in which a thread is cancelled goes on`() async {
        await #expect(processExitsWith: .success) {
            let sink = SleepySink()
            Self.install(sink)
            Self.runCancelled { Self.log.notice("cancelled") }
            Self.log.notice("behind")
            #expect(Pipeline.flush(within: patience))
            let count = sink.writes.load(ordering: .relaxed)
            #expect(count == 2)
            #expect(Pipeline.accounts.map(\.delivered) == [2])
        }
    }

    @Test
    func `a flush and a reopening that are cancelled leave the sink to others`() async {
        await #expect(processExitsWith: .success) {
            let sink = SleepySink()
            Self.install(sink)
            Self.runCancelled { _ = Pipeline.flush(within: patience) }
            Self.runCancelled { Pipeline.reopen() }
            #expect(sink.others.load(ordering: .relaxed) == 2)
            Self.log.notice("behind")
            #expect(sink.writes.load(ordering: .relaxed) == 1)
        }
    }

    @Test
    func `a thread that is cancelled while the file is opened anew leaves it whole`() async {
        await #expect(processExitsWith: .success) {
            let path = "/tmp/winnow-cancellation-\(getpid()).log"
            defer { unsafe unlink(path) }
            Self.install(try FileSink(path: path, formatter: TextFormatter()))
            Self.log.notice("first")
            unsafe unlink(path)
            // What a look at the path may be late by.
            usleep(1_200_000)
            Self.runCancelled { Self.log.notice("cancelled") }
            Self.log.notice("behind")
            #expect(Pipeline.flush(within: patience))
            #expect(Pipeline.accounts.map(\.delivered) == [3])
        }
    }

    @Test
    func `a thread that is cancelled while a pipe is full leaves it to others`() async {
        await #expect(processExitsWith: .success) {
            let (reading, writing) = makePipe()
            Self.install(StreamSink(descriptor: writing, formatter: TextFormatter()))
            let text = String(repeating: "x", count: 3_000)
            for _ in 0..<30 { Self.log.notice("\(text)") }
            Self.runCancelled { Self.log.notice("\(text)") }
            _ = StartedThread {
                var bytes = [UInt8](repeating: 0, count: 4_096)
                while unsafe read(reading, &bytes, bytes.count) > 0 {}
            }
            Self.log.notice("behind")
            #expect(Pipeline.flush(within: patience))
            #expect(Pipeline.accounts.map(\.delivered) == [32])
        }
    }
}
