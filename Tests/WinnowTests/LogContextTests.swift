// SPDX-License-Identifier: Apache-2.0

import Support
import Testing
import Winnow
import WinnowPipeline

@Suite(.exclusivePipeline)
struct LogContextTests {
    let sink = ScriptedSink()
    let log = Log("tests.context")

    private var fields: [[Field]] { sink.entries.map(\.fields) }

    @Test
    func `a logger with fields gives them to each record, behind the record's own`() {
        install([sink])
        let request = log.with(("id", 17), ("peer", "192.0.2.1"))
        request.notice("a")
        request.error("b \(true, as: "flag")", ("path", "/x"))
        log.notice("c")
        let own = [Field("id", .integer(17)), Field("peer", .string("192.0.2.1"))]
        #expect(fields[0] == own)
        #expect(fields[1] == [Field("flag", .bool(true)), Field("path", .string("/x"))] + own)
        #expect(fields[2] == [])
        #expect(sink.entries.allSatisfy { $0.category == "tests.context" })
    }

    /// A call's buffer has room for all of it, for the logger's fields alone, or for neither's.
    @Test(arguments: DeliveryMode.both)
    func `they are whole whatever room is left, and however many they are`(delivery: DeliveryMode) {
        install([sink], delivery: delivery)
        var expected: [[Field]] = []
        for size in stride(from: 0, to: 4_096, by: 61) {
            let text = String(repeating: "y", count: size)
            let count = size / 61 % 24
            let own = (0..<count).map { Field("own \($0)", .integer(Int64($0))) }
            let ofTask = (0..<24 - count).map { Field("task \($0)", .string("\($0)")) }
            Log.withContext(fields: Fields(ofTask + [Field("text", .string(text))])) {
                log.with(fields: Fields(own)).notice("\(text)", ("size", size))
                log.notice("a literal")
            }
            let behind = ofTask + [Field("text", .string(text))]
            expected.append([Field("size", .integer(Int64(size)))] + own + behind)
            expected.append(behind)
        }
        let entries = sink.settledEntries
        #expect(entries.map(\.fields) == expected)
        #expect(entries.count == expected.count)
    }

    private func nested(_ log: Log) -> String {
        log.warning("within")
        return "outer"
    }

    @Test(arguments: DeliveryMode.both)
    func `fields of loggers and tasks are there in both deliveries, in order`(
        delivery: DeliveryMode
    ) async {
        install([sink], delivery: delivery)
        // More than a call has room for in its buffer.
        let long = String(repeating: "x", count: 10_000)
        let request = log.with(("id", 17))
        log.notice("0")
        request.notice("1 \(long)", ("a", 1))
        await Log.withContext(("trace", "t")) {
            log.notice("2", ("a", 1), ("b", 2.5))
            request.notice("3")
            await Task { log.notice("4") }.value
            await Task.detached { [log] in log.notice("5") }.value
            log.with(("long", long)).notice("6")
            log.notice("\(nested(request))")
        }
        log.notice("7")
        let entries = sink.settledEntries
        let (id, trace) = (Field("id", .integer(17)), Field("trace", .string("t")))
        let expected: [String: [Field]] = [
            "0": [], "1 \(long)": [Field("a", .integer(1)), id],
            "2": [Field("a", .integer(1)), Field("b", .double(2.5)), trace], "3": [id, trace],
            "4": [trace], "5": [], "6": [Field("long", .string(long)), trace],
            "within": [id, trace], "outer": [trace], "7": [],
        ]
        #expect(entries.count == expected.count)
        for entry in entries { #expect(entry.fields == expected[entry.message]) }
        let own = entries.map(\.message).filter { !["4", "5"].contains($0) }
        #expect(own == ["0", "1 \(long)", "2", "3", "6", "within", "outer", "7"])
    }

    @Test
    func `the nearest field of a name holds`() {
        install([sink])
        let request = log.with(("a", 1), ("b", 1)).with(("b", 2))
        Log.withContext(("a", 3), ("c", 3)) {
            request.notice("m", ("c", 4))
            request.notice("n \(5, as: "a")")
        }
        let c4 = Field("c", .integer(4))
        #expect(fields[0] == [c4, Field("a", .integer(1)), Field("b", .integer(2))])
        #expect(
            fields[1]
                == [Field("a", .integer(5)), Field("b", .integer(2)), Field("c", .integer(3))]
        )
    }

    @Test
    func `fields in any number and of every type are carried`() {
        install([sink])
        let many = Fields((0..<100).map { Field("f\($0)", .integer(Int64($0))) })
        log.with(fields: many).notice("m")
        Log.with(("text", "x"), ("half", 0.5), ("truth", true), ("none", Int?.none)).notice("n")
        #expect(fields[0] == many.elements)
        #expect(
            fields[1] == [
                Field("text", .string("x")), Field("half", .double(0.5)),
                Field("truth", .bool(true)), Field("none", .null),
            ]
        )
    }

    @Test
    func `the context of a task reaches its children and ends with it`() async {
        install([sink])
        await Log.withContext(("trace", "t1")) {
            await withTaskGroup { group in
                group.addTask { [log] in log.notice("child") }
                group.addTask { [log] in
                    Log.withContext(("span", 2)) { log.notice("grandchild") }
                }
            }
            await Task.detached { [log] in log.notice("detached") }.value
        }
        log.notice("after")
        let named = Dictionary(uniqueKeysWithValues: sink.entries.map { ($0.message, $0.fields) })
        #expect(named["child"] == [Field("trace", .string("t1"))])
        #expect(named["grandchild"] == [Field("trace", .string("t1")), Field("span", .integer(2))])
        #expect(named["detached"] == [])
        #expect(named["after"] == [])
    }

    @Test
    func `the result and the error of the operation come through`() async {
        struct Failure: Error, Equatable {}
        #expect(Log.withContext(("a", 1)) { 5 } == 5)
        #expect(throws: Failure()) {
            try Log.withContext(("a", 1)) { () throws(Failure) in throw Failure() }
        }
        await #expect(throws: Failure()) {
            try await Log.withContext(("a", 1)) { () async throws(Failure) in
                await Task.yield()
                throw Failure()
            }
        }
    }

    @Test
    func `an actor keeps its isolation within a context`() async {
        actor Counter {
            var count = 0
            func run() async -> Int {
                await Log.withContext(("a", 1)) {
                    count += 1
                    await Task.yield()
                    count += 1
                }
                return count
            }
        }
        #expect(await Counter().run() == 2)
    }

    @Test
    func `a value is described when the logger is made`() {
        install([sink])
        final class Changing: CustomStringConvertible {
            var description = "before"
        }
        let value = Changing()
        let request = log.with(("value", value))
        value.description = "after"
        request.notice("m")
        #expect(fields == [[Field("value", .string("before"))]])
    }

    @Test
    func `a private value in the message hides no field of the context`() {
        install([sink])
        log.with(("user", "ann")).notice("m \("x", as: "user", privacy: .private)")
        #expect(fields == [[Field("user", .string("<private>"))]])
    }
}
