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

    func install(_ delivery: DeliveryMode) {
        let route = SinkRoute(name: "scripted", slot: SinkSlot(sink), levels: .all)
        Pipeline.install(
            RoutingPlan(routes: [route], privacy: .redact, delivery: delivery)
        )
    }

    @Test(arguments: DeliveryMode.both)
    func `errno is as it was`(delivery: DeliveryMode) {
        install(delivery)
        sink.onWrite { _ in Glibc.errno = ENOENT }
        Glibc.errno = EXDEV
        log.notice("x")
        #expect(Glibc.errno == EXDEV)
    }

    @Test(arguments: DeliveryMode.both)
    func `a thread that ends gives its buffers back and others go on`(delivery: DeliveryMode) {
        install(delivery)
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
        #expect(sink.settledEntries.count == 200)
    }

    @Test(arguments: DeliveryMode.both)
    func `texts of every length come out byte by byte`(delivery: DeliveryMode) {
        install(delivery)
        // Each byte differs from its neighbors, and is at the same place in no other text.
        let texts = (0...200).map { length in
            String(decoding: (0..<length).map { UInt8(33 + ($0 + length * 7) % 90) }, as: UTF8.self)
        }
        for text in texts { log.notice("\(text)|\(text.count)|\(text)") }
        #expect(sink.settledEntries.map(\.message) == texts.map { "\($0)|\($0.count)|\($0)" })
    }

    @Test(arguments: DeliveryMode.both)
    func `a text comes out whatever memory it lies in`(delivery: DeliveryMode) {
        install(delivery)
        let texts = (0...80).flatMap { length in
            // One that has grown from nothing, one that is kept in memory for more, a part of another,
            // and one with characters of two and four bytes.
            let grown = (0..<length).reduce(into: "") {
                $0.append(Character(Unicode.Scalar(UInt8(33 + $1))))
            }
            var roomy = ""
            roomy.reserveCapacity(200)
            roomy += grown
            let part = String("<\(grown)>".dropFirst().dropLast())
            let wide = String(repeating: "\u{E9}\u{1F600}", count: length)
            return [grown, roomy, part, wide]
        }
        for text in texts { log.notice("\(text)|\(7)|\(text)", ("text", text)) }
        let entries = sink.settledEntries
        #expect(entries.map(\.message) == texts.map { "\($0)|7|\($0)" })
        #expect(entries.map(\.fields) == texts.map { [Field("text", $0)] })
    }

    @Test(arguments: DeliveryMode.both)
    func `short texts that fill the buffer of a call go on in a larger one`(delivery: DeliveryMode)
    {
        install(delivery)
        // 12 KiB of texts are what the buffer of a call takes in immediate delivery.
        for count in 140...200 {
            let texts = (0..<count).map { "\($0) " + String(repeating: "x", count: 40 + $0 % 25) }
            log.notice("\(count): \(each: texts).", ("count", count))
            let last = sink.settledEntries.last
            #expect(last?.message == "\(count): \(texts.joined()).")
            #expect(last?.fields == [Field("count", count)])
        }
    }

    @Test
    func `loggers of one name are the same and keep it`() {
        #expect(Log("tests.same").category == "tests.same")
        #expect(Log("").category == "")
        #expect(Log("naïve\u{0}x").category == "naïve\u{0}x")
    }

    @Test(arguments: DeliveryMode.both)
    func `a filter set later holds for loggers made before and after`(delivery: DeliveryMode) {
        install(delivery)
        let early = Log("tests.early")
        let route = SinkRoute(name: "scripted", slot: SinkSlot(sink), levels: .all)
        Pipeline.install(
            RoutingPlan(
                routes: [route],
                privacy: .redact,
                delivery: delivery,
                filter: "debug,tests.early=error,tests.earlier=error"
            )
        )
        let late = Log("tests.earlier")
        #expect(!early.isEnabled(.warning) && early.isEnabled(.error))
        #expect(!late.isEnabled(.warning) && late.isEnabled(.error))
        #expect(log.isEnabled(.debug))
    }

    @Test(arguments: DeliveryMode.both)
    func `a forked child starts to count anew and delivers nothing of its parent's`(
        delivery: DeliveryMode
    ) throws {
        install(delivery)
        sink.fail(with: SinkError(.busy))
        log.notice("the parent's")
        let child = fork_()
        if child == 0 {
            let account = Pipeline.accounts[0]
            log.notice("the child's")
            _ = Pipeline.flush(within: 1_000_000)
            while Pipeline.accepted == 0 { sched_yield() }
            while Pipeline.accounts[0].queued == 0 { sched_yield() }
            let isNew = account.accepted == 0 && account.queued == 0
            _exit(isNew && Pipeline.accepted == 1 && Pipeline.accounts[0].queued == 1 ? 7 : 1)
        }
        var status: Int32 = 0
        let ended = unsafe waitpid(child, &status, 0)
        #expect(ended == child)
        #expect((status >> 8) & 0xFF == 7)
        sink.fail(with: nil)
        #expect(sink.settledEntries.map(\.message) == ["the parent's"])
    }
}

extension LogMessage.StringInterpolation {
    fileprivate mutating func appendInterpolation(each texts: [String]) {
        for text in texts { appendInterpolation(text) }
    }
}

/// fork(2), which Swift's overlay hides.
@_silgen_name("fork")
private func fork_() -> Int32
