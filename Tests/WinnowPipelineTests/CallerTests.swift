// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support
import Testing
import Winnow
import WinnowPipeline

/// What a log call leaves alone, and what it does at the edges of a process.
@Suite(.exclusivePipeline)
struct CallerTests {
    let sink = ScriptedSink()
    let log = Log("tests.caller")

    init() {
        let route = Route(name: "scripted", outlet: Outlet(sink), levels: .all)
        Pipeline.install(Topology(routes: [route], privacy: .redact) { _ in .all })
    }

    @Test
    func `errno is as it was`() {
        sink.onWrite { _ in Glibc.errno = ENOENT }
        Glibc.errno = EXDEV
        log.notice("x")
        #expect(Glibc.errno == EXDEV)
    }

    @Test
    func `a thread that ends gives its buffers back and others go on`() {
        for number in 0..<200 {
            var thread = pthread_t()
            let body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { _ in
                Log("tests.caller").notice("from a short thread")
                return nil
            }
            let created = unsafe pthread_create(&thread, nil, body, nil)
            #expect(created == 0, "thread \(number)")
            let joined = pthread_join(thread, nil)
            #expect(joined == 0)
        }
        #expect(sink.entries.count == 200)
    }

    @Test
    func `loggers of one name are the same and keep it`() {
        #expect(Log("tests.same").category == "tests.same")
        #expect(Log("").category == "")
        #expect(Log("naïve\u{0}x").category == "naïve\u{0}x")
    }

    @Test
    func `a filter set later holds for loggers made before and after`() {
        let early = Log("tests.early")
        let route = Route(name: "scripted", outlet: Outlet(sink), levels: .all)
        Pipeline.install(
            Topology(routes: [route], privacy: .redact) {
                $0.hasPrefix("tests.ear") ? .upTo(.error) : .upTo(.debug)
            }
        )
        let late = Log("tests.earlier")
        #expect(!early.isEnabled(.warning) && early.isEnabled(.error))
        #expect(!late.isEnabled(.warning) && late.isEnabled(.error))
        #expect(log.isEnabled(.debug))
    }

    @Test
    func `a forked child starts to count anew and delivers nothing of its parent's`() throws {
        sink.fail(with: SinkError(.busy))
        log.notice("the parent's")
        let child = fork_()
        if child == 0 {
            let account = Pipeline.accounts[0]
            log.notice("the child's")
            let isNew = account.accepted == 0 && account.queued == 0
            _exit(isNew && Pipeline.accepted == 1 && Pipeline.accounts[0].queued == 1 ? 7 : 1)
        }
        var status: Int32 = 0
        let ended = unsafe waitpid(child, &status, 0)
        #expect(ended == child)
        #expect((status >> 8) & 0xFF == 7)
        sink.fail(with: nil)
        #expect(Pipeline.flush(within: 5_000_000_000))
        #expect(sink.entries.map(\.message) == ["the parent's"])
    }
}

/// fork(2), which Swift's overlay hides.
@_silgen_name("fork")
private func fork_() -> Int32
