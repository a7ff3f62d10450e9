// SPDX-License-Identifier: Apache-2.0

import CWinnow
import Support
import Testing
import Winnow
import WinnowCore
import WinnowPipeline

/// Log statements, where a rule for some of them is in force.
@Suite(.exclusivePipeline)
struct StatementDecisionTests {
    let sink = ScriptedSink()
    let log = Log("tests.rules")

    private static let file = "StatementDecisionTests.swift"

    private var messages: [String] { sink.settledEntries.map(\.message) }

    @Test(arguments: DeliveryMode.both)
    func `a rule lets through the statements of its lines, and no others`(delivery: DeliveryMode) {
        let line = #line + 5
        let filter = Filter("notice,@\(Self.file):\(line)-\(line + 1)=debug")
        install([sink], filter: filter, delivery: delivery)

        log.debug("no")
        log.debug("yes")
        log.info("yes, \("too")")
        log.info("no")
        log.notice("always")
        #expect(messages == ["yes", "yes, too", "always"])
    }

    @Test(arguments: DeliveryMode.both)
    func `a rule silences one statement`(delivery: DeliveryMode) {
        let line = #line + 3
        install([sink], filter: "debug,tests.rules@*:\(line)=error", delivery: delivery)
        let evaluations = Counter()
        log.debug("no \(evaluations.increment())")
        Log("tests.others").debug("\(evaluations.value)"); log.debug("no, in another line")
        log.error("yes")
        #expect(messages == ["0", "no, in another line", "yes"])
    }

    @Test(arguments: DeliveryMode.both)
    func `a text decides when the message is known`(delivery: DeliveryMode) {
        install([sink], filter: "notice,@\(Self.file)~*late*=debug", delivery: delivery)
        let (name, long) = ("late", String(repeating: "late ", count: 500))
        for number in 0..<2 {
            log.debug("late by \(number)")
            log.debug("early by \(number)")
            // The first literal counts, and no value.
            log.debug("\(name) by \(number)")
            log.debug("early: \(long)")
            log.debug("too late: \(long)", ("number", number))
            log.notice("always \(number)")
        }
        let known = [
            "late by 0", "too late: \(long)", "always 0", "late by 1", "too late: \(long)",
            "always 1",
        ]
        #expect(messages == known)
    }

    @Test(arguments: DeliveryMode.both)
    func `a call within the message of another one has a text of its own`(delivery: DeliveryMode) {
        install([sink], filter: "notice,@*~inner*=debug", delivery: delivery)
        func inner() -> Int {
            log.debug("inner \(1)")
            log.debug("other \(1)")
            return 1
        }
        log.debug("outer \(inner())")
        log.notice("outer \(inner())")
        #expect(Set(messages) == ["inner 1", "outer 1"] && messages.count == 3)
    }

    @Test(arguments: DeliveryMode.both)
    func `limits, fields and tasks go with rules`(delivery: DeliveryMode) {
        install([sink], filter: "notice,@*~*wanted*=debug", delivery: delivery)
        for number in 0..<6 {
            log.every(3).debug("wanted \(number)")
            log.once.debug("other \(number)")
        }
        Log.withContext(("task", 1)) {
            log.with(("own", 2)).debug("wanted, with fields", ("third", 3))
            log.with(("own", 2)).debug("with fields", ("third", 3))
        }
        let entries = sink.settledEntries
        #expect(entries.map(\.message) == ["wanted 0", "wanted 3", "wanted, with fields"])
        #expect(entries[1].fields == [Field("suppressed", .unsigned(2))])
        #expect(entries[2].fields.map(\.name) == ["third", "own", "task"])
    }

    @Test func `what a text holds back takes nothing from a limit`() {
        func tick(_ numbers: ClosedRange<Int>) {
            for number in numbers { log.every(3).debug("tick \(number)") }
        }
        install([sink], filter: "debug", delivery: .deferred)
        tick(0...0)
        install([sink], filter: "notice,@*~*other*=debug", delivery: .deferred)
        tick(1...5)
        install([sink], filter: "debug", delivery: .deferred)
        tick(6...8)
        let entries = sink.settledEntries
        #expect(entries.map(\.message) == ["tick 0", "tick 8"])
        #expect(entries.last?.fields == [Field("suppressed", .unsigned(2))])
    }

    @Test func `an interval goes by its line`() {
        let line = #line + 2
        install([sink], filter: "notice,@\(Self.file):\(line)=info")
        log.interval("measured") {}
        log.interval("not measured") {}
        #expect(messages.count == 2 && messages.allSatisfy { $0.hasPrefix("measured: ") })
    }

    @Test func `a level is enabled if some statement of the category is let through`() {
        install([sink], filter: "notice,tests.rules@Other.swift:7=info")
        #expect(log.isEnabled(.info) && !log.isEnabled(.debug))
        #expect(!Log("tests.others").isEnabled(.info))
        #expect(log.acceptedLevels == .upTo(.info))
        log.info("not this one")
        #expect(messages == [])
    }

    @Test func `records of other code go by the place and the text that they say`() {
        install([sink], filter: "notice,@Other.swift:5-9=debug,@*~late*=debug")
        func bridge(_ file: String, _ line: UInt32, _ text: String) {
            let location = SourceLocation(fileID: file, function: "f()", line: line)
            log.bridge(.debug, message: text, location: location, fields: [])
        }
        bridge("Mod/Other.swift", 5, "in lines")
        bridge("Mod/Other.swift", 4, "not in lines")
        bridge("Mod/Another.swift", 5, "not in the file")
        bridge("Mod/Another.swift", 5, "late, not in the file")
        #expect(messages == ["in lines", "late, not in the file"])
        #expect(sink.entries[0].location.line == 5)
    }

    @Test func `so they do with a limit`() {
        install([sink], filter: "notice,@Other.swift:5-9=debug")
        for line in [5, 4, 5, 5] as [UInt32] {
            let location = SourceLocation(fileID: "Mod/Other.swift", function: "f()", line: line)
            log.every(2).bridge(.debug, message: "in \(line)", location: location, fields: [])
        }
        #expect(messages == ["in 5", "in 5"])
    }

    @Test func `a category that no rule is for has no more to look at than its mask`() {
        install([sink], filter: "notice,net@*=debug,@*~x*=off")
        let others = Pipeline.category(named: "tests.rules")
        #expect(unsafe cwinnow_category_levels(others.pointer).closer != 0)
        install([sink], filter: "notice,net@*=debug")
        #expect(unsafe cwinnow_category_levels(others.pointer).closer == 0)
        #expect(unsafe cwinnow_category_mask(others.pointer) == 0b11_1111)
        let net = Pipeline.category(named: "net.http")
        #expect(unsafe cwinnow_category_levels(net.pointer).closer != 0)
        install([sink])
        #expect(unsafe cwinnow_category_levels(net.pointer).closer == 0)
    }

    @Test func `a statement without a file is decided on as all others`() {
        install([sink], filter: "notice,net@Foo.swift=debug")
        Log("net.http").debug("no rule is for it", file: "")
        Log("net.http").notice("let through", file: "")
        #expect(messages == ["let through"])
    }

    /// A call looks at the mask first, and then whether it goes on at once: between the two, a rule or the levels of
    /// another task may end.
    @Test(arguments: Level.allCases)
    func `no call goes on at once that is held back, or that rules decide on`(level: Level) {
        let net = unsafe Pipeline.category(named: "net.http").pointer
        let place = StatementPlace(line: .max, column: .max, level: level.rawValue)
        install([sink], filter: "notice")
        #expect(unsafe (place.detour(of: net) == 0) == (level <= .notice))
        install([sink], filter: "notice,net@*=debug")
        #expect(unsafe place.detour(of: net) != 0)
        install([sink])
        #expect(unsafe place.detour(of: net) == 0)
    }
}
