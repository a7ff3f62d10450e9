// SPDX-License-Identifier: Apache-2.0

import CWinnow
import Glibc
import Support
import Synchronization
import Testing
import Winnow
import WinnowCore
import WinnowPipeline
import WinnowRecovery
import WinnowTesting

/// A sink that takes nothing, so that all waits.
private final class StalledSink: Sink {
    func write(_ record: borrowing Record) throws(SinkError) { throw SinkError(.failed) }
}

/// What a process that records has in its file; each test in a process of its own.
struct RecorderTests {
    @Test(arguments: [true, false])
    func `nothing private is in the file`(isDeferred: Bool) async {
        await #expect(processExitsWith: .success) { [isDeferred] in
            let folder = try MemoryFolder()
            let early = Log("early").with(("peer", PrivateValue("s3cret-context")))
            let message: LogMessage = "made before: \("s3cret-message", privacy: .private)"
            try RecorderTests.start(
                in: folder,
                route: .sink(StalledSink()),
                delivery: isDeferred ? .deferred() : .immediate
            )
            let log = Log("private")
            let secret = "s3cret-value"
            log.notice("text \(secret, privacy: .private) and \(secret, privacy: .sensitive)")
            log.notice("hash \(secret, as: "secret", privacy: .private(mask: .hash))")
            log.notice("none \(secret as String?, as: "other", privacy: .private)")
            log.notice("field", ("user", PrivateValue(secret)), ("open", "public-value"))
            log.notice("list \([secret, secret], as: "list", privacy: .private)")
            log.notice("wide \(secret, align: .right(columns: 40), privacy: .private)")
            early.notice("with the fields of a logger")
            log.notice(message)
            Winnow.flush(deadline: .milliseconds(300))
            let bytes = try #require(folder.anyBytes())
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(!text.contains("s3cret"))
            #expect(text.contains("<private>") && text.contains("<hash: "))
            #expect(text.contains("public-value"))
            let file = try #require(RecordedFile(bytes))
            #expect(RecordedRemains(file).records.count { $0.sequence != 0 } == 8)
        }
    }

    @Test func `a child of a fork records in a file of its own`() async {
        await #expect(processExitsWith: .success) {
            let folder = try MemoryFolder()
            try RecorderTests.start(in: folder, route: .sink(StalledSink()), delivery: .deferred())
            let log = Log("fork")
            for number in 0..<50 { log.notice("parent \(number)") }
            Winnow.flush(deadline: .milliseconds(300))
            let child = fork_()
            if child == 0 {
                for number in 0..<30 { log.notice("child \(number)") }
                Winnow.flush(deadline: .milliseconds(300))
                while true { pause() }
            }
            for number in 50..<100 { log.notice("parent \(number)") }
            Winnow.flush(deadline: .milliseconds(300))
            // The child has taken its time to begin.
            waitUntil { folder.counts().values.contains(30) }
            #expect(folder.counts() == [getpid(): 100, child: 30])
            kill(child, SIGKILL)
            var status: Int32 = 0
            #expect(unsafe waitpid(child, &status, 0) == child)
            // The lock of the child's file went with it; the parent's is held still.
            let recorder = try RecorderFolder(folder.path)
            let taken = recorder.names.compactMap { try? recorder.take($0) }
            #expect(taken.map(\.content.processID) == [child])
        }
    }

    @Test(arguments: [true, false])
    func `a child that nobody was told of leaves its parent's file alone`(isDeferred: Bool) async {
        await #expect(processExitsWith: .success) { [isDeferred] in
            let folder = try MemoryFolder()
            let sink = InMemorySink()
            try RecorderTests.start(
                in: folder,
                route: .sink(sink),
                delivery: isDeferred ? .deferred() : .immediate
            )
            let log = Log("untold")
            for number in 0..<50 { log.notice("parent \(number)") }
            let child = quietFork()
            if child == 0 {
                for number in 0..<30 { log.notice("child \(number)") }
                _exit(0)
            }
            var status: Int32 = 0
            #expect(unsafe waitpid(child, &status, 0) == child && status == 0)
            for number in 50..<100 { log.notice("parent \(number)") }
            _ = Pipeline.flush(within: patience)
            #expect(sink.records.map(\.message) == (0..<100).map { "parent \($0)" })
            #expect(sink.records.map(\.sequence) == (1...100).map { UInt64($0) })
        }
    }

    @Test func `a clean end removes the file, and a place where none can be is said`() async {
        await #expect(processExitsWith: .success) {
            let folder = try MemoryFolder()
            let sink = InMemorySink()
            try RecorderTests.start(in: folder, route: .sink(sink), delivery: .deferred())
            Log("end").notice("one")
            #expect(folder.names().count == 1)
            // As an exit does.
            Pipeline.end()
            #expect(folder.names().isEmpty)
            #expect(sink.records.map(\.message) == ["one"])
        }
        await #expect(processExitsWith: .success) {
            let sink = InMemorySink()
            try Winnow.start(
                .init(
                    routes: [.sink(sink)],
                    recorder: .init(folder: "/nowhere/at/all"),
                    environment: .ignored
                )
            )
            Log("end").notice("one")
            let texts = sink.records.map(\.message)
            #expect(texts.contains { $0.contains("does not record: '/nowhere/at/all'") })
            #expect(texts.contains("one"))
        }
    }

    @Test func `a full file has threads deliver at once, and loses nothing`() async {
        await #expect(processExitsWith: .success) {
            let folder = try MemoryFolder()
            let sink = InMemorySink()
            // Room for three rings and no more.
            try RecorderTests.start(in: folder, route: .sink(sink), delivery: .deferred(), 1 << 20)
            let log = Log("full")
            let threads = (0..<20).map { thread in
                StartedThread {
                    for number in 0..<50 { log.notice("thread \(thread) \(number)") }
                }
            }
            threads.forEach { $0.join() }
            _ = Pipeline.flush(within: patience)
            #expect(sink.records.count == 1_000)
            let status = try #require(Winnow.status.sinks.first)
            #expect(status.accepted == status.delivered && status.lostTotal == 0)
        }
    }

    /// Starts the log of this process with a recorder.
    private static func start(
        in folder: MemoryFolder,
        route: Winnow.Route,
        delivery: Winnow.Delivery,
        _ byteCount: Int = 16 << 20
    ) throws {
        try Winnow.start(
            .init(
                routes: [route],
                delivery: delivery,
                recorder: .init(folder: folder.path, byteCount: byteCount),
                environment: .ignored
            )
        )
    }
}

extension MemoryFolder {
    /// How many records of the program each process has left, by its number.
    fileprivate func counts() -> [Int32: Int] {
        let files = names().compactMap { bytes(of: $0) }.compactMap { RecordedFile($0) }
        return files.reduce(into: [:]) { counts, file in
            counts[file.processID] = RecordedRemains(file).records.count { $0.sequence != 0 }
        }
    }
}

/// Waits until a condition holds; a limit only finds a hang.
private func waitUntil(_ condition: () -> Bool) {
    let end = cwinnow_clock_monotonic() + patience
    while !condition(), cwinnow_clock_monotonic() < end { usleep(10_000) }
}

/// _Fork(3), which tells nobody.
@_silgen_name("_Fork")
private func quietFork() -> Int32
