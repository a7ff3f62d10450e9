// SPDX-License-Identifier: Apache-2.0

import Support
import Testing
import Winnow
import WinnowPipeline

/// Which calls share the budget of a rate limit: those of one statement, wherever it stands.
@Suite(.exclusivePipeline)
struct LogStatementBudgetTests {
    let sink = ScriptedSink()
    let log = Log("tests.budget")

    private var messages: [String] { sink.entries.map(\.message) }

    private func suppressed(_ entry: Int) -> FieldValue? {
        sink.entries[entry].fields.first { $0.name == "suppressed" }?.value
    }

    /// Hands on the place of its caller, as the code of one macro expansion has one place.
    private func check(
        _ number: Int,
        line: UInt32 = #line,
        column: UInt32 = #column
    ) {
        log.once.notice("check \(number) begins", line: line, column: column)
        log.once.notice("check \(number) has ended", line: line, column: column)
        log.every(2).error("a third", line: line, column: column)
    }

    @Test
    func `statements that have one place have a budget each`() {
        install([sink])
        for number in 0..<4 { check(number) }
        check(9)
        #expect(
            messages == [
                "check 0 begins", "check 0 has ended", "a third", "a third", "check 9 begins",
                "check 9 has ended", "a third",
            ]
        )
        #expect((0..<3).map { suppressed($0) } == [nil, nil, nil])
        // What the others held back is not told of this one.
        #expect(suppressed(3) == .unsigned(1))
    }

    /// Hands on the message as well.
    private func warn(
        _ message: @autoclosure () -> LogMessage,
        line: UInt32 = #line,
        column: UInt32 = #column
    ) {
        log.once.warning(message(), line: line, column: column)
    }

    @Test
    func `a function that hands on message and place has a budget for each caller`() {
        install([sink])
        for number in 0..<3 {
            warn("one \(number)")
            warn("two \(number)")
        }
        #expect(messages == ["one 0", "two 0"])
    }

    /// A place of its own for each case, as budgets last.
    private func line(of delivery: DeliveryMode) -> UInt32 { delivery == .immediate ? 1 : 2 }

    /// Two statements that nothing tells apart, as are the copies that the optimizer makes of one.
    private func copies(_ value: () -> Int, line: UInt32) {
        log.every(3).notice("value \(value())", ("v", value()), line: line, column: 1)
        log.every(3).notice("value \(value())", ("v", value()), line: line, column: 1)
    }

    @Test(arguments: DeliveryMode.both)
    func `copies of a statement share its budget, and each is evaluated once to tell`(
        delivery: DeliveryMode
    ) {
        install([sink], delivery: delivery)
        var evaluated = 0
        let value = {
            evaluated += 1
            return evaluated
        }
        for _ in 0..<3 { copies(value, line: line(of: delivery)) }
        log.notice("next")
        #expect(Pipeline.flush(within: 60_000_000_000))
        // The first call of each copy is evaluated, and the one of the six that is the fourth.
        #expect(messages == ["value 1", "value 5", "next"])
        #expect(evaluated == 6)
        #expect(suppressed(1) == .unsigned(2))
        #expect(Pipeline.accounts[0].accepted == 3)
        #expect(Pipeline.accounts[0].delivered == 3)
    }

    @Test(arguments: DeliveryMode.both)
    func `a held back copy leaves the call around it, and those within it, as they are`(
        delivery: DeliveryMode
    ) {
        install([sink], delivery: delivery)
        let line = line(of: delivery)
        func nested(_ text: String) -> String {
            log.once.notice("within", line: line, column: 2)
            log.once.notice("within", line: line, column: 2)
            return text
        }
        log.once.notice("around \(nested("a")) \(nested("b"))", line: line, column: 3)
        log.once.notice("around \(nested("a")) \(nested("b"))", line: line, column: 3)
        log.notice("after", ("n", nested("c")))
        #expect(Pipeline.flush(within: 60_000_000_000))
        #expect(messages.sorted() == ["after", "around a b", "within"])
    }

    @Test
    func `a record tells the file of its statement, limited or not`() {
        install([sink])
        log.once.notice("a", file: "Module/File.swift", line: 4, column: 1)
        #expect(sink.entries.map(\.location.fileID) == ["Module/File.swift"])
    }

    @Test
    func `intervals of different levels at one place have a budget each`() {
        install([sink])
        for _ in 0..<2 {
            log.once.interval("one", level: .notice, line: 5, column: 1) {}
            log.once.interval("two", level: .error, line: 5, column: 1) {}
        }
        #expect(sink.entries.count == 4)
    }
}
