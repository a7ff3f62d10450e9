// SPDX-License-Identifier: Apache-2.0

import Support
import Testing
import Winnow
import WinnowPipeline

/// Messages wherever they were made, and the fields behind them.
@Suite(.exclusivePipeline)
struct MessagePlaceTests {
    let sink = ScriptedSink()
    let log = Log("tests.place")

    @Test(arguments: DeliveryMode.both)
    func `a literal arrives where its argument has made another message`(delivery: DeliveryMode) {
        install([sink], delivery: delivery)
        func literal() -> LogMessage {
            let other: LogMessage = "other \(1)"
            _ = consume other
            return "literal"
        }
        log.notice(literal())
        log.notice(literal(), ("a", 1))
        log.with(("b", 2)).notice(literal())
        log.with(("b", 2)).notice("another")
        let entries = sink.settledEntries
        #expect(entries.map(\.message) == ["literal", "literal", "literal", "another"])
        #expect(
            entries.map(\.fields) == [[], [Field("a", 1)], [Field("b", 2)], [Field("b", 2)]]
        )
    }

    @Test(arguments: DeliveryMode.both)
    func `a literal arrives where its argument has logged`(delivery: DeliveryMode) {
        install([sink], delivery: delivery)
        func literal() -> LogMessage {
            log.info("within")
            log.info("within \(2)", ("text", "of a field"))
            return "literal"
        }
        log.notice(literal())
        log.notice(literal(), ("a", 1))
        log.notice(literal(), errno: 2)
        let entries = sink.settledEntries
        let within = ["within", "within 2"]
        let outer = ["literal", "literal", "literal: No such file or directory"]
        #expect(entries.map(\.message) == outer.flatMap { within + [$0] })
        #expect(entries.map(\.fields.count) == [0, 1, 0, 0, 1, 1, 0, 1, 1])
    }

    @Test(arguments: DeliveryMode.both)
    func `a message in memory of its own is its caller's where an argument has made it`(
        delivery: DeliveryMode
    ) {
        install([sink], delivery: delivery)
        let long = String(repeating: "longer than a ring ", count: 20_000)
        var left: [LogMessage] = []
        func make() -> LogMessage {
            let message: LogMessage = "first \(long)"
            left.append(message)
            return message
        }
        log.notice(make(), ("a", 1))
        log.notice(left[0], ("b", 2))
        log.notice(left[0])
        let entries = sink.settledEntries
        #expect(entries.map(\.message) == Array(repeating: "first \(long)", count: 3))
        #expect(entries.map(\.fields) == [[Field("a", 1)], [Field("b", 2)], []])
    }

    @Test(arguments: DeliveryMode.both)
    func `a message that is kept is logged any number of times`(delivery: DeliveryMode) {
        install([sink], delivery: delivery)
        let kept: LogMessage = "kept \(1) \("text")"
        log.notice(kept)
        log.notice(kept, errno: 2)
        log.with(("a", 1)).notice(kept)
        log.notice(kept, ("b", 2))
        log.notice(kept)
        let entries = sink.settledEntries
        #expect(
            entries.map { $0.message.hasPrefix("kept 1 text") } == Array(repeating: true, count: 5)
        )
        #expect(entries[0].message == "kept 1 text" && entries[4].message == "kept 1 text")
        #expect(entries[1].message.hasPrefix("kept 1 text: "))
        #expect(entries.map(\.fields.count) == [0, 1, 1, 1, 0])
    }

    @Test(arguments: DeliveryMode.both)
    func `a message that an earlier call left behind says so without fields`(
        delivery: DeliveryMode
    ) {
        install([sink], delivery: delivery)
        var left: [LogMessage] = []
        func make() -> LogMessage {
            let message: LogMessage = "first \(1)"
            left.append(message)
            return message
        }
        log.notice(make())
        log.notice(left[0])
        log.notice(left[0], errno: 2)
        let messages = sink.settledEntries.map(\.message)
        #expect(messages[0] == "first 1")
        #expect(messages[1].hasPrefix("<a message that was made in the argument"))
        #expect(messages[2].hasPrefix("<a message that was made in the argument"))
        #expect(messages[2].hasSuffix(": No such file or directory"))
    }

    @Test(arguments: DeliveryMode.both)
    func `fields stand behind any number of items`(delivery: DeliveryMode) {
        install([sink], delivery: delivery)
        for count in 0...600 {
            log.notice("\(first: count)", ("count", count), ("text", "\(count)"))
            let last = sink.settledEntries.last
            #expect(last?.message == (0..<count).map(String.init).joined())
            #expect(last?.fields == [Field("count", count), Field("text", "\(count)")])
        }
    }

    @Test(arguments: DeliveryMode.both)
    func `an error ends a literal, a message with values and none`(delivery: DeliveryMode) {
        install([sink], delivery: delivery)
        log.notice("literal", errno: 2, ("a", 1))
        log.notice("value \(1)", errno: 2, ("a", 1))
        log.notice("\(first: 0)", errno: 2)
        let entries = sink.settledEntries
        #expect(entries[0].message == "literal: No such file or directory")
        #expect(entries[1].message == "value 1: No such file or directory")
        #expect(entries[2].message.hasSuffix("No such file or directory"))
        #expect(entries.map(\.fields.count) == [2, 2, 1])
    }
}

extension LogMessage.StringInterpolation {
    /// Appends so many numbers, which may be none.
    fileprivate mutating func appendInterpolation(first count: Int) {
        for number in 0..<count { appendInterpolation(number) }
    }
}
