// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support
import Testing
import Winnow
import WinnowPipeline

@Suite(.exclusivePipeline)
struct LogLimitTests {
    let sink = ScriptedSink()
    let log = Log("tests.limit")

    private var messages: [String] { sink.entries.map(\.message) }

    private func suppressed(_ entry: Int) -> FieldValue? {
        sink.entries[entry].fields.first { $0.name == "suppressed" }?.value
    }

    @Test
    func `once logs the first call of a statement`() {
        install([sink])
        for number in 0..<5 { log.once.notice("number \(number)") }
        #expect(messages == ["number 0"])
    }

    @Test
    func `each statement has a budget of its own, also two of one line`() {
        install([sink])
        for number in 0..<4 {
            log.once.notice("a"); log.once.notice("b")
            if number.isMultiple(of: 2) { Log.once.error("c") } else { Log.once.error("d") }
        }
        #expect(messages == ["a", "b", "c", "d"])
    }

    @Test
    func `every counts from the first call and says how many it held back`() {
        install([sink])
        for number in 0..<8 { log.every(3).warning("number \(number)") }
        #expect(messages == ["number 0", "number 3", "number 6"])
        #expect(suppressed(0) == nil)
        #expect(suppressed(1) == .unsigned(2))
        #expect(suppressed(2) == .unsigned(2))
    }

    @Test(arguments: [0, -1, Int.min, 1])
    func `every of no number is no limit`(count: Int) {
        install([sink])
        for _ in 0..<3 { log.every(count).notice("m") }
        #expect(sink.entries.count == 3)
    }

    @Test
    func `every with a time logs once in it`() {
        install([sink])
        for number in 0..<3 { log.every(.seconds(3_600)).notice("hour \(number)") }
        for number in 0..<3 { log.every(.zero).notice("zero \(number)") }
        for number in 0..<3 { log.every(.seconds(-1)).notice("negative \(number)") }
        for number in 0..<3 { log.every(.seconds(Int64.max)).notice("ages \(number)") }
        #expect(messages.filter { $0.hasPrefix("hour") } == ["hour 0"])
        #expect(messages.filter { $0.hasPrefix("zero") }.count == 3)
        #expect(messages.filter { $0.hasPrefix("negative") }.count == 3)
        #expect(messages.filter { $0.hasPrefix("ages") } == ["ages 0"])
    }

    @Test
    func `a time that has passed lets the next one through`() {
        install([sink])
        repeat { log.every(.milliseconds(20)).notice("tick") } while sink.entries.count < 3
        #expect(suppressed(0) == nil)
        #expect(messages == ["tick", "tick", "tick"])
    }

    @Test
    func `one budget holds for all threads and nothing is counted twice`() async {
        install([sink])
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { [log] in
                    for _ in 0..<1_000 { log.every(10).notice("shared") }
                }
            }
        }
        #expect(sink.entries.count == 800)
        var told: UInt64 = 0
        for entry in sink.entries.indices {
            if case .unsigned(let count)? = suppressed(entry) { told += count }
        }
        // What came after the last that was let through is still to be told.
        #expect(told <= 7_200)
        #expect(told >= 7_200 - 9 * 8)
    }

    @Test
    func `what the filter holds back takes nothing from the budget`() {
        install([sink], filter: "warning")
        let statement = { [log] in log.once.notice("m") }
        statement()
        statement()
        #expect(sink.entries.isEmpty)
        install([sink])
        statement()
        #expect(messages == ["m"])
    }

    @Test
    func `what is held back is not evaluated`() {
        install([sink])
        var evaluated = 0
        func touch() -> Int {
            evaluated += 1
            return evaluated
        }
        for _ in 0..<5 { log.once.notice("\(touch())", ("field", touch())) }
        #expect(evaluated == 2)
    }

    @Test
    func `the level that is an argument and many fields are limited too`() {
        install([sink])
        for number in 0..<3 {
            log.once.log(.error, "n \(number)", ("a", 1))
            log.once.info("f \(number)", fields: ["a": 1])
        }
        #expect(messages == ["n 0", "f 0"])
    }

    @Test
    func `a limited logger keeps the fields of its own`() {
        install([sink])
        for _ in 0..<2 { log.with(("id", 7)).once.notice("m") }
        #expect(sink.entries.map(\.fields) == [[Field("id", .integer(7))]])
    }

    @Test
    func `a record that is refused gives the number back that it tells of`() {
        install([sink])
        for number in 0..<40 {
            sink.fail(with: number == 10 ? SinkError(.rejected) : nil)
            log.every(10).error("\(number)")
        }
        let fields = sink.programEntries.flatMap(\.fields).filter { $0.name == "suppressed" }
        #expect(sink.programEntries.map(\.message) == ["0", "20", "30"])
        #expect(fields.map(\.value) == [.unsigned(18), .unsigned(9)])
    }

    /// What the sink logs itself is kept from it, and is not the record that tells the number.
    @Test
    func `a sink that logs does not have the number told again`() {
        install([sink])
        sink.onWrite { entry in
            if entry.category == "tests.limit" { Log("sink").notice("took \(entry.message)") }
        }
        for number in 0..<50 { log.every(10).error("\(number)") }
        #expect(messages == ["0", "10", "20", "30", "40"])
        #expect((1..<5).map { suppressed($0) } == Array(repeating: .unsigned(9), count: 4))
    }

    /// What the sinks and the ring have no room for is lost with the number that it tells.
    @Test(arguments: DeliveryMode.both)
    func `a record that is lost gives the number back that it tells of`(delivery: DeliveryMode) {
        var delivery = delivery
        if delivery != .immediate {
            delivery = .deferred(patience: 0, ringByteCount: 64 * 1_024)
        }
        let route = SinkRoute(name: "sink", slot: SinkSlot(sink), levels: .all, capacity: 1 << 16)
        let plan = RoutingPlan(routes: [route], privacy: .redact, delivery: delivery)
        Pipeline.install(plan)
        let gate = Counter()
        let long = String(repeating: "x", count: 9_000)
        let count = 1_000
        for number in 0..<2 * count {
            switch number {
            case 1:
                // What the first tells of was held back before.
                #expect(sink.settledEntries.count == 1)
                sink.fail(with: SinkError(.busy))
                if delivery != .immediate {
                    sink.onWrite { _ in while gate.value == 0 { usleep(100) } }
                }
            case count:
                gate.increment()
                sink.fail(with: nil)
                #expect(Pipeline.flush(within: 60_000_000_000))
            default: break
            }
            log.every(10).error("\(number < count ? long : "short")")
        }
        #expect(Pipeline.flush(within: 60_000_000_000))
        #expect(Pipeline.accounts[0].lostTotal > 0)
        let fields = sink.entries.dropFirst().flatMap(\.fields)
        let told = fields.reduce(into: UInt64(0)) { sum, field in
            if field.name == "suppressed", case .unsigned(let number) = field.value {
                sum += number
            }
        }
        // Those behind the last record that was let through are still to be told.
        #expect(told == UInt64((2 * count - 1) / 10 * 9))
        // What is still to be said of the losses is not for the sink of the next test.
        install([ScriptedSink()])
    }
}
