// SPDX-License-Identifier: Apache-2.0

import Support
import Testing
import Winnow
import WinnowPipeline

@Suite(.exclusivePipeline)
struct LogIntervalTests {
    let sink = ScriptedSink()
    let log = Log("tests.interval")

    private func value(_ name: String, _ entry: Int) -> FieldValue? {
        sink.entries[entry].fields.first { $0.name == name }?.value
    }

    @Test
    func `an interval logs its begin and its end with the duration`() throws {
        install([sink])
        let result = log.interval("load \(3)") { 42 }
        #expect(result == 42)
        #expect(sink.entries.map(\.level) == [.info, .info])
        #expect(sink.entries[0].message == "load 3: begin")
        #expect(sink.entries[1].message.hasPrefix("load 3: end after "))
        #expect(value("interval", 0) == value("interval", 1))
        #expect(value("interval", 0) != nil)
        guard case .double(let duration)? = value("duration_ms", 1) else {
            Issue.record("no duration")
            return
        }
        #expect(duration >= 0)
        #expect(sink.entries.allSatisfy { $0.category == "tests.interval" })
    }

    @Test(arguments: [
        (PrivacyPolicy.redact, "load <private>: "), (.show, "load secret: "),
    ])
    func `private values in the name are written as the policy says`(
        policy: PrivacyPolicy,
        prefix: String
    ) throws {
        try Winnow.start(
            .init(
                routes: [.sink(sink)],
                filter: "debug",
                privacy: policy,
                environment: .ignored
            )
        )
        log.interval("load \("secret", privacy: .private)") {}
        let part: LogMessage = "\("secret", privacy: .private)"
        log.notice("load \(part): begin")
        #expect(sink.settledEntries.count == 3)
        #expect(sink.settledEntries.allSatisfy { $0.message.hasPrefix(prefix) })
    }

    @Test
    func `an operation that throws ends its interval with the error`() {
        struct Failure: Error, Equatable {}
        install([sink])
        #expect(throws: Failure()) {
            try log.interval("load", level: .notice) { () throws(Failure) in throw Failure() }
        }
        #expect(sink.entries.count == 2)
        #expect(sink.entries[1].message.hasPrefix("load: failed after "))
        #expect(sink.entries[1].message.hasSuffix(": Failure()"))
        #expect(value("error", 1) == .string("Failure()"))
    }

    @Test
    func `intervals nest and differ, also over a suspension`() async {
        install([sink])
        await log.interval("outer") {
            await Task.yield()
            await log.interval("inner") { await Task.yield() }
        }
        let phases = sink.entries.map { $0.message.split(separator: " ").prefix(2) }
        #expect(
            phases == [
                ["outer:", "begin"], ["inner:", "begin"], ["inner:", "end"], ["outer:", "end"],
            ]
        )
        #expect(value("interval", 0) == value("interval", 3))
        #expect(value("interval", 1) == value("interval", 2))
        #expect(value("interval", 0) != value("interval", 1))
    }

    @Test
    func `what the filter holds back is not named but is run`() {
        install([sink], filter: "notice")
        var named = 0
        func name() -> Int {
            named += 1
            return named
        }
        #expect(log.interval("n \(name())") { 1 } == 1)
        #expect(log.once.interval("m", level: .notice) { 2 } == 2)
        #expect(named == 0)
        #expect(sink.entries.count == 2)
    }

    @Test
    func `a limit lets both records through or neither`() {
        install([sink])
        for _ in 0..<4 { log.every(2).interval("load") {} }
        #expect(sink.entries.count == 4)
    }

    @Test
    func `a limit says with the begin how many intervals it held back`() async {
        install([sink])
        for _ in 0..<4 { log.every(3).interval("load") {} }
        #expect((0..<4).map { value("suppressed", $0) } == [nil, nil, .unsigned(2), nil])
        for _ in 0..<4 { await log.every(3).interval("later") { await Task.yield() } }
        #expect((4..<8).map { value("suppressed", $0) } == [nil, nil, .unsigned(2), nil])
    }
}
