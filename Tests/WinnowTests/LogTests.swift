// SPDX-License-Identifier: Apache-2.0

import Support
import Testing
import Winnow
import WinnowCore
import WinnowPipeline

/// Has the process log to the given sinks alone.
func install(
    _ sinks: [any Sink],
    levels: LevelSet = .all,
    filter: Filter = "debug",
    privacy: PrivacyPolicy = .redact,
    delivery: DeliveryMode = .immediate
) {
    let routes = sinks.enumerated().map { index, sink in
        SinkRoute(name: "sink\(index)", slot: SinkSlot(sink), levels: levels)
    }
    Pipeline.install(
        RoutingPlan(routes: routes, privacy: privacy, delivery: delivery, filter: filter)
    )
}

@Suite(.exclusivePipeline)
struct LogTests {
    let sink = ScriptedSink()
    let log = Log("tests.log")

    @Test(arguments: DeliveryMode.both)
    func `the eight methods log at their levels`(delivery: DeliveryMode) {
        install([sink], delivery: delivery)
        log.emergency("0")
        log.alert("1")
        log.critical("2")
        log.error("3")
        log.warning("4")
        log.notice("5")
        log.info("6")
        log.debug("7")
        #expect(sink.settledEntries.map(\.level) == Level.allCases)
        #expect(sink.settledEntries.map(\.message) == ["0", "1", "2", "3", "4", "5", "6", "7"])
        #expect(sink.settledEntries.allSatisfy { $0.category == "tests.log" })
    }

    @Test(arguments: DeliveryMode.both)
    func `the statics log in the default category`(delivery: DeliveryMode) {
        install([sink], delivery: delivery)
        Log.emergency("0")
        Log.alert("1")
        Log.critical("2")
        Log.error("3")
        Log.warning("4")
        Log.notice("5")
        Log.info("6")
        Log.debug("7")
        Log.log(.error, "8")
        #expect(sink.settledEntries.map(\.level) == Level.allCases + [.error])
        #expect(sink.settledEntries.allSatisfy { $0.category.isEmpty })
    }

    @Test(arguments: DeliveryMode.both)
    func `values stand in the message and their names make fields`(delivery: DeliveryMode) {
        install([sink], delivery: delivery)
        let host = "example.org"
        let port = 8_080
        log.notice("listening on \(host):\(port, as: "port")")
        #expect(sink.settledEntries.first?.message == "listening on example.org:8080")
        #expect(sink.settledEntries.first?.fields == [Field("port", .integer(8_080))])
    }

    /// What the pairs of a statement with eight become.
    private static let fields: [Field] = [
        Field("a", .integer(1)), Field("b", .double(2.5)), Field("c", .bool(true)),
        Field("d", .string("text")), Field("e", .unsigned(.max)), Field("f", .double(0.1)),
        Field("g", .null), Field("h", .json(JSONText(valid: "[1,2]"))),
    ]

    @Test(arguments: DeliveryMode.both)
    func `fields of every number arrive in order with their types`(delivery: DeliveryMode) {
        install([sink], delivery: delivery)
        log.error("m", ("a", 1))
        log.error("m", ("a", 1), ("b", 2.5))
        log.error("m", ("a", 1), ("b", 2.5), ("c", true))
        log.error("m", ("a", 1), ("b", 2.5), ("c", true), ("d", "text"))
        log.error("m", ("a", 1), ("b", 2.5), ("c", true), ("d", "text"), ("e", UInt64.max))
        log.error(
            "m",
            ("a", 1),
            ("b", 2.5),
            ("c", true),
            ("d", "text"),
            ("e", UInt64.max),
            ("f", Float(0.1))
        )
        log.error(
            "m",
            ("a", 1),
            ("b", 2.5),
            ("c", true),
            ("d", "text"),
            ("e", UInt64.max),
            ("f", Float(0.1)),
            ("g", Int?.none)
        )
        log.error(
            "m",
            ("a", 1),
            ("b", 2.5),
            ("c", true),
            ("d", "text"),
            ("e", UInt64.max),
            ("f", Float(0.1)),
            ("g", Int?.none),
            ("h", [1, 2])
        )
        #expect(sink.settledEntries.map(\.fields) == (1...8).map { Array(Self.fields.prefix($0)) })
    }

    @Test
    func `a float is the same number in a pair, in a dictionary and in a logger's field`() {
        install([sink])
        let value = Float(0.1)
        log.error("m", ("f", value))
        log.error("m", fields: ["f": value])
        log.with(("f", value)).error("m")
        let fields = sink.programEntries.map(\.fields)
        #expect(fields == Array(repeating: [Field("f", 0.1)], count: 3))
    }

    @Test(arguments: DeliveryMode.both)
    func `a level known at run time takes one to eight pairs as well`(delivery: DeliveryMode) {
        install([sink], delivery: delivery)
        let level = Level.error
        log.log(level, "m", ("a", 1))
        log.log(level, "m", ("a", 1), ("b", 2.5))
        log.log(level, "m", ("a", 1), ("b", 2.5), ("c", true))
        log.log(level, "m", ("a", 1), ("b", 2.5), ("c", true), ("d", "text"))
        log.log(level, "m", ("a", 1), ("b", 2.5), ("c", true), ("d", "text"), ("e", UInt64.max))
        log.log(
            level,
            "m",
            ("a", 1),
            ("b", 2.5),
            ("c", true),
            ("d", "text"),
            ("e", UInt64.max),
            ("f", Float(0.1))
        )
        log.log(
            level,
            "m",
            ("a", 1),
            ("b", 2.5),
            ("c", true),
            ("d", "text"),
            ("e", UInt64.max),
            ("f", Float(0.1)),
            ("g", Int?.none)
        )
        log.log(
            level,
            "m",
            ("a", 1),
            ("b", 2.5),
            ("c", true),
            ("d", "text"),
            ("e", UInt64.max),
            ("f", Float(0.1)),
            ("g", Int?.none),
            ("h", [1, 2])
        )
        #expect(sink.settledEntries.map(\.fields) == (1...8).map { Array(Self.fields.prefix($0)) })
    }

    @Test(arguments: DeliveryMode.both)
    func `fields may come in a literal or in a collection`(delivery: DeliveryMode) {
        install([sink], delivery: delivery)
        log.notice("m", fields: ["port": 80, "host": "x", "ok": true])
        log.notice("m", fields: [Field("n", 3)])
        log.log(.notice, "m", fields: (0..<100).map { Field("f\($0)", $0) })
        #expect(sink.settledEntries[0].fields.map(\.name) == ["port", "host", "ok"])
        #expect(sink.settledEntries[1].fields == [Field("n", .integer(3))])
        #expect(sink.settledEntries[2].fields.last == Field("f99", .integer(99)))
        #expect(sink.settledEntries[2].fields.count == 100)
    }

    @Test(arguments: DeliveryMode.both)
    func `an error and an errno end the message and make fields`(delivery: DeliveryMode) {
        struct Failure: Error {}
        install([sink], delivery: delivery)
        log.error("bind failed", errno: 98, ("port", 80))
        log.error("request failed", error: Failure(), ("path", "/"))
        log.error("both", error: Failure(), errno: 2, messageID: "A596D6FE-7bfa4994")
        #expect(sink.settledEntries[0].message == "bind failed: Address already in use")
        #expect(sink.settledEntries[0].fields == [Field("errno", 98), Field("port", 80)])
        #expect(sink.settledEntries[1].message == "request failed: Failure()")
        #expect(sink.settledEntries[1].fields == [Field("error", "Failure()"), Field("path", "/")])
        #expect(sink.settledEntries[2].message == "both: Failure(): No such file or directory")
        #expect(sink.settledEntries[2].fields.last == Field("message_id", "a596d6fe7bfa4994"))
    }

    @Test(arguments: DeliveryMode.both)
    func `the location is that of the call`(delivery: DeliveryMode) {
        install([sink], delivery: delivery)
        log.notice("here"); let line = #line
        #expect(sink.settledEntries.first?.location.fileID == "WinnowTests/LogTests.swift")
        #expect(sink.settledEntries.first?.location.module == "WinnowTests")
        #expect(sink.settledEntries.first?.location.line == UInt32(line))
        #expect(
            sink.settledEntries.first?.location.function
                == "the location is that of the call(delivery:)"
        )
    }

    @Test(arguments: DeliveryMode.both)
    func `a filtered call evaluates nothing and an accepted one everything once`(
        delivery: DeliveryMode
    ) {
        let evaluations = Counter()
        func evaluated(_ value: Int) -> Int {
            evaluations.increment()
            return value
        }
        install([sink], filter: "debug,quiet=error", delivery: delivery)
        let quiet = Log("quiet")
        quiet.warning("m \(evaluated(1))", errno: Int32(evaluated(2)), ("f", evaluated(3)))
        quiet.log(.debug, "m \(evaluated(1))", ("f", evaluated(3)))
        quiet.info("m", fields: ["f": evaluated(4)])
        #expect(evaluations.value == 0)
        #expect(sink.settledEntries.isEmpty)
        quiet.error("m \(evaluated(1))", errno: Int32(evaluated(2)), ("f", evaluated(3)))
        #expect(evaluations.value == 3)
        #expect(sink.settledEntries.count == 1)
        #expect(!quiet.isEnabled(.warning))
        #expect(quiet.isEnabled(.error))
    }

    @Test(arguments: DeliveryMode.both)
    func `a message that is kept may be logged more than once and with fields`(
        delivery: DeliveryMode
    ) {
        install([sink], delivery: delivery)
        let kept: LogMessage = "kept \(1) and \("two", as: "n")"
        log.notice(kept, ("a", 1))
        log.error(kept, ("b", 2))
        log.error(kept)
        #expect(sink.settledEntries.map(\.message) == Array(repeating: "kept 1 and two", count: 3))
        #expect(
            sink.settledEntries.map { $0.fields.map(\.name) } == [["n", "a"], ["n", "b"], ["n"]]
        )
    }

    @Test(arguments: DeliveryMode.both)
    func `a literal may be made by one call and logged by another`(delivery: DeliveryMode) {
        enum Messages {
            static let started: LogMessage = "started"
        }
        install([sink], delivery: delivery)
        for _ in 0..<3 { log.notice(Messages.started, ("a", 1)) }
        #expect(sink.settledEntries.map(\.message) == ["started", "started", "started"])
        #expect(sink.settledEntries.allSatisfy { $0.fields == [Field("a", 1)] })
    }

    @Test(arguments: DeliveryMode.both)
    func `a message within a message stands as its text`(delivery: DeliveryMode) {
        install([sink], delivery: delivery)
        let plain: LogMessage = "plain"
        let values: LogMessage = "n=\(3, as: "n")"
        log.notice("[\(plain)] [\(values)] \(4)")
        #expect(sink.settledEntries.first?.message == "[plain] [n=3] 4")
    }

    @Test(arguments: DeliveryMode.both)
    func `fields may come from variables and dictionaries`(delivery: DeliveryMode) {
        install([sink], delivery: delivery)
        let port = 80
        let host: String? = nil
        log.notice("m", fields: ["port": port, "host": host, "f": 2.5, "n": nil])
        log.notice("m", fields: Fields(["k": 1]))
        #expect(
            sink.settledEntries[0].fields == [
                Field("port", .integer(80)), Field("host", .null), Field("f", .double(2.5)),
                Field("n", .null),
            ]
        )
        #expect(sink.settledEntries[1].fields == [Field("k", .integer(1))])
    }

    @Test(arguments: DeliveryMode.both)
    func `a message that an earlier call left behind says so`(delivery: DeliveryMode) {
        install([sink], delivery: delivery)
        var left: [LogMessage] = []
        func make() -> LogMessage {
            let message: LogMessage = "first \(1)"
            left.append(message)
            return message
        }
        log.notice(make())
        log.notice(left[0], ("a", 1))
        #expect(sink.settledEntries[0].message == "first 1")
        #expect(
            sink.settledEntries[1].message.hasPrefix("<a message that was made in the argument")
        )
        #expect(sink.settledEntries[1].fields == [Field("a", 1)])
    }

    @Test(arguments: DeliveryMode.both)
    func `a call within an argument logs first and disturbs nothing`(delivery: DeliveryMode) {
        install([sink], delivery: delivery)
        func inner(_ n: Int) -> Int {
            if n < 3 { log.info("inner \(n) \(inner(n + 1))") }
            return n
        }
        log.notice("outer \(inner(0)) \(String(repeating: "x", count: 20_000))", ("f", inner(2)))
        #expect(
            sink.settledEntries.map { String($0.message.prefix(9)) } == [
                "inner 2 3", "inner 1 2", "inner 0 1", "inner 2 3", "outer 0 x",
            ]
        )
        #expect(sink.settledEntries.last?.message.utf8.count == 20_008)
        #expect(sink.settledEntries.last?.fields == [Field("f", 2)])
    }

    @Test(arguments: DeliveryMode.both)
    func `messages of any size and number of values arrive whole`(delivery: DeliveryMode) {
        install([sink], delivery: delivery)
        let million = String(repeating: "é", count: 500_000)
        log.notice("\(million)|\(1)", ("f", million))
        log.notice("")
        log.notice(
            "\(0)\(1)\(2)\(3)\(4)\(5)\(6)\(7)\(8)\(9)\(0)\(1)\(2)\(3)\(4)\(5)\(6)\(7)\(8)\(9)\(0)\(1)\(2)\(3)\(4)\(5)\(6)\(7)\(8)\(9)\(0)\(1)\(2)\(3)\(4)\(5)\(6)\(7)\(8)\(9)\(0)\(1)\(2)\(3)\(4)\(5)\(6)\(7)\(8)\(9)"
        )
        #expect(sink.settledEntries[0].message == million + "|1")
        #expect(sink.settledEntries[0].fields == [Field("f", .string(million))])
        #expect(sink.settledEntries[1].message == "")
        #expect(sink.settledEntries[2].message == String(repeating: "0123456789", count: 5))
    }

    @Test(arguments: DeliveryMode.both)
    func `formats and padding are as in os Logger`(delivery: DeliveryMode) {
        install([sink], delivery: delivery)
        log.notice(
            "\(255, format: .hex) \(255, format: .hex(includePrefix: true, uppercase: true))"
        )
        log.notice(
            "\(-8, format: .octal) \(7, format: .decimal(explicitPositiveSign: true, minDigits: 3))"
        )
        log.notice(
            "\(3.14159, format: .fixed(precision: 2)) \(1234.5, format: .exponential(precision: 1))"
        )
        log.notice(
            "\(1234.5, format: .hybrid(precision: 3)) \(0.25, format: .hybrid(explicitPositiveSign: true))"
        )
        log.notice("[\("ab", align: .right(columns: 5))] [\("äb", align: .left(columns: 5))]")
        log.notice("\(true, format: .answer) \(false) \(Int?.none) \(Int?.some(3)) \(UInt8.max)")
        #expect(
            sink.settledEntries.map(\.message) == [
                "ff 0xFF", "-10 +007", "3.14 1.2e+03", "1.23e+03 +0.25", "[   ab] [äb   ]",
                "yes false nil 3 255",
            ]
        )
    }

    @Test(arguments: DeliveryMode.both)
    func `private values are masked in the message and in the field`(delivery: DeliveryMode) {
        install([sink], delivery: delivery)
        log.notice("user \("ann", as: "user", privacy: .private) \("k", privacy: .sensitive)")
        log.notice(
            "user \("ann", as: "user", privacy: .private(mask: .hash)) \("ann", privacy: .private(mask: .hash))"
        )
        #expect(sink.settledEntries[0].message == "user <private> <private>")
        #expect(sink.settledEntries[0].fields == [Field("user", "<private>")])
        let words = sink.settledEntries[1].message.split(separator: " <")
        #expect(words.count == 3 && words[1] == words[2] && words[1].hasPrefix("hash: "))
        #expect(sink.settledEntries[1].fields[0].value == .string("<" + words[1]))
        install([sink], privacy: .show, delivery: delivery)
        log.notice("user \("ann", as: "user", privacy: .sensitive)")
        #expect(sink.settledEntries[2].message == "user ann")
    }
}
