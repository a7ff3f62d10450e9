// SPDX-License-Identifier: Apache-2.0

import Support
import Testing
import Winnow
import WinnowTesting

@Suite(.timeLimit(.minutes(30)))
struct RecordingSinkTests {
    private func write(
        _ message: LogMessage,
        level: Level = .notice,
        category: String = "",
        fields: Fields = [:],
        to sink: RecordingSink
    ) {
        withRecord(message, level: level, category: category, fields: fields) { record in
            try? sink.write(record)
        }
    }

    @Test func `a record that is there is found at once, by all its conditions`() async throws {
        let sink = RecordingSink()
        write("other", level: .error, category: "net", to: sink)
        write("refused by peer", level: .error, category: "net", fields: ["port": 443], to: sink)
        let pattern = RecordPattern.level(.error).category("net")
            .message(containing: "refused").field("port", 443).field("port")
            .levels(.upTo(.warning)).matching("a short message") { $0.message.count < 20 }
        let record = try await sink.expect(pattern, within: .zero)
        #expect(record.message == "refused by peer")
        #expect(try sink.expect(pattern, blockingAtMost: .zero) == record)
        try await sink.expect(.message("other"), within: .zero)
    }

    @Test func `a record that comes later ends the wait`() async throws {
        let sink = RecordingSink()
        let record = Task { try await sink.expect(.field("number", 3), within: .seconds(600)) }
        let thread = StartedThread {
            for number in 0..<5 { self.write("m", fields: ["number": number], to: sink) }
        }
        #expect(try await record.value[field: "number"] == 3)
        thread.join()
    }

    @Test(arguments: [Duration.seconds(Int64.max), .seconds(Int64.min)])
    func `a wait may be as long as a duration can be, or have none`(time: Duration) async throws {
        let sink = RecordingSink()
        let isWaiting = time > .zero
        let wait = Task { try await sink.expect(.message("late"), within: time) }
        if isWaiting { write("late", to: sink) }
        let record = try? await wait.value
        #expect((record != nil) == isWaiting)
    }

    @Test func `a wait that blocks ends with the record too`() throws {
        let sink = RecordingSink()
        let thread = StartedThread {
            for number in 0..<5 { self.write("m", fields: ["number": number], to: sink) }
        }
        let record = try sink.expect(.field("number", 4), blockingAtMost: .seconds(600))
        #expect(record[field: "number"] == 4)
        thread.join()
    }

    @Test func `many waits at the same time need no thread each`() async throws {
        let sink = RecordingSink()
        try await withThrowingTaskGroup { group in
            for number in 0..<200 {
                group.addTask {
                    try await sink.expect(.field("number", number), within: .seconds(600))
                }
            }
            group.addTask {
                for number in (0..<200).reversed() {
                    self.write("m", fields: ["number": number], to: sink)
                    await Task.yield()
                }
                return try await sink.expect(.any)
            }
            var found: Set<FieldValue> = []
            for try await record in group {
                if let value = record[field: "number"] { found.insert(value) }
            }
            #expect(found.count == 200)
        }
    }

    @Test func `records in an order are found among others, and only in this order`() async throws {
        let sink = RecordingSink()
        for message in ["open", "noise", "send", "noise", "close"] {
            write(LogMessage(verbatim: message), to: sink)
        }
        let records = try await sink.expectSequence(
            [.message("open"), .message("send"), .message("close")]
        )
        #expect(records.map(\.message) == ["open", "send", "close"])
        #expect(throws: RecordExpectationError.self) {
            try sink.expectSequence([.message("close"), .message("open")], blockingAtMost: .zero)
        }
        // Each record counts once.
        #expect(throws: RecordExpectationError.self) {
            try sink.expectSequence([.message("open"), .message("open")], blockingAtMost: .zero)
        }
        try sink.expectSequence([], blockingAtMost: .zero)
    }

    @Test func `what did not come is said, with the nearest records`() throws {
        let sink = RecordingSink()
        for number in 0..<20 { write("noise \(number)", level: .debug, to: sink) }
        write(
            "reset\n",
            level: .error,
            category: "net",
            fields: ["host": "a", "port": 80],
            to: sink
        )
        let error = #expect(throws: RecordExpectationError.self) {
            try sink.expect(
                .level(.error).category("net").message(containing: "refused").field("port", 443),
                blockingAtMost: .zero
            )
        }
        let lines = (error?.description ?? "").split(separator: "\n")
        #expect(
            lines.first == """
                a record with level error, category "net", message containing "refused", port=443 did \
                not come within 0.0 seconds; of 21 records, the nearest are
                """
        )
        #expect(
            lines.dropFirst().first == """
                  error [net] "reset\\n" host="a" port=80: not message containing "refused", port=443
                """
        )
        #expect(lines.count == 6)
        let empty = #expect(throws: RecordExpectationError.self) {
            try RecordingSink().expect(.any, blockingAtMost: .zero)
        }
        #expect(
            empty?.description == "any record did not come within 0.0 seconds; there are no records"
        )
    }

    @Test func `a sequence says how far it came`() {
        let sink = RecordingSink()
        write("one", to: sink)
        let error = #expect(throws: RecordExpectationError.self) {
            try sink.expectSequence([.message("one"), .message("two")], blockingAtMost: .zero)
        }
        #expect(error?.description.contains("as number 2 of 2 in this order") == true)
    }

    @Test func `a record that must not come is an error, before and during the wait`() async throws
    {
        let sink = RecordingSink()
        try sink.expectNone(.any)
        try await sink.expectNone(.any, for: .milliseconds(1))
        try sink.expectNone(.any, blockingFor: .milliseconds(1))
        write("bad", level: .error, to: sink)
        try sink.expectNone(.level(.warning))
        let error = #expect(throws: RecordExpectationError.self) {
            try sink.expectNone(.level(.error))
        }
        #expect(
            error?.description == "a record with level error came, and must not:\n  error \"bad\""
        )
        await #expect(throws: RecordExpectationError.self) {
            try await sink.expectNone(.level(.error), for: .seconds(600))
        }
        sink.removeAll()
        let none = Task { try await sink.expectNone(.level(.error), for: .seconds(600)) }
        write("worse", level: .error, to: sink)
        await #expect(throws: RecordExpectationError.self) { try await none.value }
    }

    @Test func `what made room is not taken for what never came`() throws {
        let sink = RecordingSink(capacity: 2)
        for number in 0..<3 { write("m\(number)", to: sink) }
        #expect(sink.records.map(\.message) == ["m1", "m2"])
        #expect(sink.droppedCount == 1)
        let error = #expect(throws: RecordExpectationError.self) {
            try sink.expectNone(.message("m0"))
        }
        #expect(error?.description.contains("1 records made room") == true)
        sink.removeAll()
        #expect(sink.records.isEmpty)
        try sink.expectNone(.any)
    }

    @Test func `a task that is cancelled does not wait on`() async {
        let sink = RecordingSink()
        let task = Task { try await sink.expect(.any, within: .seconds(600)) }
        task.cancel()
        await #expect(throws: RecordExpectationError.self) { try await task.value }
    }

    @Test(.exclusivePipeline, arguments: [Winnow.Delivery.immediate, .deferred])
    func `a route leads to it`(delivery: Winnow.Delivery) async throws {
        let sink = RecordingSink()
        try Winnow.start(
            .init(
                routes: [.sink(sink, levels: .upTo(.notice))],
                filter: "debug",
                delivery: delivery,
                environment: .ignored
            )
        )
        let log = Log("net")
        log.debug("not for this route")
        log.error("refused by \("peer", as: "host")", ("port", 443 as UInt16))
        try await sink.expect(
            .level(.error).category("net").message("refused by peer").field("host", "peer")
                .field("port", 443),
            within: .seconds(600)
        )
        await Winnow.flush()
        try sink.expectNone(.level(.debug))
    }

    @Test(.exclusivePipeline)
    func `tests that run at the same time have their own records`() async throws {
        try Winnow.start(
            .init(
                routes: [.sink(TaskRecords.shared)],
                filter: "debug",
                delivery: .deferred,
                environment: .ignored
            )
        )
        TaskRecords.shared.others.removeAll()
        let log = Log("tests")
        try await withThrowingTaskGroup { group in
            for number in 0..<20 {
                group.addTask {
                    try await withTaskRecords { records in
                        log.notice("\(number)", ("number", number))
                        async let child: Void = log.notice("child of \(number)")
                        await child
                        try await records.expectSequence(
                            [
                                .message("\(number)").field("number", number),
                                .message("child of \(number)"),
                            ],
                            within: .seconds(600)
                        )
                        #expect(records.records.count == 2)
                        #expect(records.records.first?.fields == [Field("number", number)])
                    }
                }
            }
            try await group.waitForAll()
        }
        log.notice("nobody's")
        try await TaskRecords.shared.others.expect(.message("nobody's"), within: .seconds(600))
        #expect(TaskRecords.shared.others.records.count == 1)
        let count = try withTaskRecords { records in
            log.notice("of a test that is no task")
            return try records.expect(.any, blockingAtMost: .seconds(600)).message.count
        }
        #expect(count == 25)
    }
}
