// SPDX-License-Identifier: Apache-2.0

import Support
import Testing
import Winnow
import WinnowPipeline

/// Has the process log to the given sinks alone.
func install(
    _ sinks: [any Sink],
    levels: LevelSet = .all,
    filter: @escaping @Sendable (String) -> LevelSet = { _ in .all },
    privacy: PrivacyPolicy = .redact
) {
    let routes = sinks.enumerated().map { index, sink in
        Route(name: "sink\(index)", outlet: Outlet(sink), levels: levels)
    }
    Pipeline.install(Topology(routes: routes, privacy: privacy, filter: filter))
}

@Suite(.exclusivePipeline)
struct LogTests {
    let sink = ScriptedSink()
    let log = Log("tests.log")

    @Test
    func `the eight methods log at their levels`() {
        install([sink])
        log.emergency("0")
        log.alert("1")
        log.critical("2")
        log.error("3")
        log.warning("4")
        log.notice("5")
        log.info("6")
        log.debug("7")
        #expect(sink.entries.map(\.level) == Level.allCases)
        #expect(sink.entries.map(\.message) == ["0", "1", "2", "3", "4", "5", "6", "7"])
        #expect(sink.entries.allSatisfy { $0.category == "tests.log" })
    }

    @Test
    func `the statics log in the default category`() {
        install([sink])
        Log.emergency("0")
        Log.alert("1")
        Log.critical("2")
        Log.error("3")
        Log.warning("4")
        Log.notice("5")
        Log.info("6")
        Log.debug("7")
        Log.log(.error, "8")
        #expect(sink.entries.map(\.level) == Level.allCases + [.error])
        #expect(sink.entries.allSatisfy { $0.category.isEmpty })
    }

    @Test
    func `values stand in the message and their names make fields`() {
        install([sink])
        let host = "example.org"
        let port = 8_080
        log.notice("listening on \(host):\(port, as: "port")")
        #expect(sink.entries.first?.message == "listening on example.org:8080")
        #expect(sink.entries.first?.fields == [Field("port", .integer(8_080))])
    }

    @Test
    func `fields of every number arrive in order with their types`() {
        install([sink])
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
        let all: [Field] = [
            Field("a", .integer(1)), Field("b", .double(2.5)), Field("c", .bool(true)),
            Field("d", .string("text")), Field("e", .unsigned(.max)), Field("f", .double(0.1)),
            Field("g", .null), Field("h", .string("[1, 2]")),
        ]
        #expect(sink.entries.map(\.fields) == (1...8).map { Array(all.prefix($0)) })
    }

    @Test
    func `fields may come in a literal or in a collection`() {
        install([sink])
        log.notice("m", fields: ["port": 80, "host": "x", "ok": true])
        log.notice("m", fields: [Field("n", 3)])
        log.log(.notice, "m", fields: (0..<100).map { Field("f\($0)", $0) })
        #expect(sink.entries[0].fields.map(\.name) == ["port", "host", "ok"])
        #expect(sink.entries[1].fields == [Field("n", .integer(3))])
        #expect(sink.entries[2].fields.last == Field("f99", .integer(99)))
        #expect(sink.entries[2].fields.count == 100)
    }

    @Test
    func `an error and an errno end the message and make fields`() {
        struct Failure: Error {}
        install([sink])
        log.error("bind failed", errno: 98, ("port", 80))
        log.error("request failed", error: Failure(), ("path", "/"))
        log.error("both", error: Failure(), errno: 2, messageID: "A596D6FE-7bfa4994")
        #expect(sink.entries[0].message == "bind failed: Address already in use")
        #expect(sink.entries[0].fields == [Field("errno", 98), Field("port", 80)])
        #expect(sink.entries[1].message == "request failed: Failure()")
        #expect(sink.entries[1].fields == [Field("error", "Failure()"), Field("path", "/")])
        #expect(sink.entries[2].message == "both: Failure(): No such file or directory")
        #expect(sink.entries[2].fields.last == Field("message_id", "a596d6fe7bfa4994"))
    }

    @Test
    func `the location is that of the call`() {
        install([sink])
        log.notice("here"); let line = #line
        #expect(sink.entries.first?.location.fileID == "WinnowTests/LogTests.swift")
        #expect(sink.entries.first?.location.module == "WinnowTests")
        #expect(sink.entries.first?.location.line == UInt32(line))
        #expect(sink.entries.first?.location.function == "the location is that of the call()")
    }

    @Test
    func `a filtered call evaluates nothing and an accepted one everything once`() {
        let evaluations = Counter()
        func evaluated(_ value: Int) -> Int {
            evaluations.increment()
            return value
        }
        install([sink], filter: { $0 == "quiet" ? .upTo(.error) : .all })
        let quiet = Log("quiet")
        quiet.warning("m \(evaluated(1))", errno: Int32(evaluated(2)), ("f", evaluated(3)))
        quiet.log(.debug, "m \(evaluated(1))", ("f", evaluated(3)))
        quiet.info("m", fields: ["f": evaluated(4)])
        #expect(evaluations.value == 0)
        #expect(sink.entries.isEmpty)
        quiet.error("m \(evaluated(1))", errno: Int32(evaluated(2)), ("f", evaluated(3)))
        #expect(evaluations.value == 3)
        #expect(sink.entries.count == 1)
        #expect(!quiet.isEnabled(.warning))
        #expect(quiet.isEnabled(.error))
    }

    @Test
    func `a message that is kept may be logged more than once and with fields`() {
        install([sink])
        let kept: LogMessage = "kept \(1) and \("two", as: "n")"
        log.notice(kept, ("a", 1))
        log.error(kept, ("b", 2))
        log.error(kept)
        #expect(sink.entries.map(\.message) == Array(repeating: "kept 1 and two", count: 3))
        #expect(sink.entries.map { $0.fields.map(\.name) } == [["n", "a"], ["n", "b"], ["n"]])
    }

    @Test
    func `a literal may be made by one call and logged by another`() {
        enum Messages {
            static let started: LogMessage = "started"
        }
        install([sink])
        for _ in 0..<3 { log.notice(Messages.started, ("a", 1)) }
        #expect(sink.entries.map(\.message) == ["started", "started", "started"])
        #expect(sink.entries.allSatisfy { $0.fields == [Field("a", 1)] })
    }

    @Test
    func `a message within a message stands as its text`() {
        install([sink])
        let plain: LogMessage = "plain"
        let values: LogMessage = "n=\(3, as: "n")"
        log.notice("[\(plain)] [\(values)] \(4)")
        #expect(sink.entries.first?.message == "[plain] [n=3] 4")
    }

    @Test
    func `fields may come from variables and dictionaries`() {
        install([sink])
        let port = 80
        let host: String? = nil
        log.notice("m", fields: ["port": port, "host": host, "f": 2.5, "n": nil])
        log.notice("m", fields: Fields(["k": 1]))
        #expect(
            sink.entries[0].fields == [
                Field("port", .integer(80)), Field("host", .null), Field("f", .double(2.5)),
                Field("n", .null),
            ]
        )
        #expect(sink.entries[1].fields == [Field("k", .integer(1))])
    }

    @Test
    func `a message that an earlier call left behind says so`() {
        install([sink])
        var left: [LogMessage] = []
        func make() -> LogMessage {
            let message: LogMessage = "first \(1)"
            left.append(message)
            return message
        }
        log.notice(make())
        log.notice(left[0], ("a", 1))
        #expect(sink.entries[0].message == "first 1")
        #expect(sink.entries[1].message.hasPrefix("<a message that was made in the argument"))
        #expect(sink.entries[1].fields == [Field("a", 1)])
    }

    @Test
    func `a call within an argument logs first and disturbs nothing`() {
        install([sink])
        func inner(_ n: Int) -> Int {
            if n < 3 { log.info("inner \(n) \(inner(n + 1))") }
            return n
        }
        log.notice("outer \(inner(0)) \(String(repeating: "x", count: 20_000))", ("f", inner(2)))
        #expect(
            sink.entries.map { String($0.message.prefix(9)) } == [
                "inner 2 3", "inner 1 2", "inner 0 1", "inner 2 3", "outer 0 x",
            ]
        )
        #expect(sink.entries.last?.message.utf8.count == 20_008)
        #expect(sink.entries.last?.fields == [Field("f", 2)])
    }

    @Test
    func `messages of any size and number of values arrive whole`() {
        install([sink])
        let million = String(repeating: "é", count: 500_000)
        log.notice("\(million)|\(1)", ("f", million))
        log.notice("")
        log.notice(
            "\(0)\(1)\(2)\(3)\(4)\(5)\(6)\(7)\(8)\(9)\(0)\(1)\(2)\(3)\(4)\(5)\(6)\(7)\(8)\(9)\(0)\(1)\(2)\(3)\(4)\(5)\(6)\(7)\(8)\(9)\(0)\(1)\(2)\(3)\(4)\(5)\(6)\(7)\(8)\(9)\(0)\(1)\(2)\(3)\(4)\(5)\(6)\(7)\(8)\(9)"
        )
        #expect(sink.entries[0].message == million + "|1")
        #expect(sink.entries[0].fields == [Field("f", .string(million))])
        #expect(sink.entries[1].message == "")
        #expect(sink.entries[2].message == String(repeating: "0123456789", count: 5))
    }

    @Test
    func `formats and padding are as in os Logger`() {
        install([sink])
        log.notice(
            "\(255, format: .hex) \(255, format: .hex(includePrefix: true, uppercase: true))"
        )
        log.notice(
            "\(-8, format: .octal) \(7, format: .decimal(explicitPositiveSign: true, minDigits: 3))"
        )
        log.notice(
            "\(3.14159, format: .fixed(precision: 2)) \(1234.5, format: .exponential(precision: 1))"
        )
        log.notice("[\("ab", align: .right(columns: 5))] [\("äb", align: .left(columns: 5))]")
        log.notice("\(true, format: .answer) \(false) \(Int?.none) \(Int?.some(3)) \(UInt8.max)")
        #expect(
            sink.entries.map(\.message) == [
                "ff 0xFF", "-10 +007", "3.14 1.2e+03", "[   ab] [äb   ]", "yes false nil 3 255",
            ]
        )
    }

    @Test
    func `private values are masked in the message and in the field`() {
        install([sink])
        log.notice("user \("ann", as: "user", privacy: .private) \("k", privacy: .sensitive)")
        log.notice(
            "user \("ann", as: "user", privacy: .private(mask: .hash)) \("ann", privacy: .private(mask: .hash))"
        )
        #expect(sink.entries[0].message == "user <private> <private>")
        #expect(sink.entries[0].fields == [Field("user", "<private>")])
        let words = sink.entries[1].message.split(separator: " <")
        #expect(words.count == 3 && words[1] == words[2] && words[1].hasPrefix("hash: "))
        #expect(sink.entries[1].fields[0].value == .string("<" + words[1]))
        install([sink], privacy: .show)
        log.notice("user \("ann", as: "user", privacy: .sensitive)")
        #expect(sink.entries[2].message == "user ann")
    }
}
