// SPDX-License-Identifier: Apache-2.0

import Support
import Testing
import Winnow
import WinnowPipeline

@Suite(.exclusivePipeline)
struct OptionalValueTests {
    let sink = ScriptedSink()
    let log = Log("tests.optional")

    @Test(arguments: DeliveryMode.both)
    func `a text stands in the place of an absent value`(delivery: DeliveryMode) {
        let (port, host): (Int?, String?) = (nil, "x")
        let other: Substring = "some"[...]
        install([sink], delivery: delivery)
        log.notice("port \(port, default: "none") of \(host, default: "none")")
        log.notice("\(port, default: other)|\(port, default: "é", align: .right(columns: 3))|")
        log.notice("\(Int?(80), default: "none", align: .left(columns: 4))|")
        #expect(
            sink.settledEntries.map(\.message) == ["port none of x", "some|  é|", "80  |"]
        )
        #expect(sink.settledEntries.allSatisfy { $0.fields.isEmpty })
    }

    @Test(arguments: DeliveryMode.both)
    func `the field of an absent value is null and keeps its type`(delivery: DeliveryMode) {
        install([sink], delivery: delivery)
        for port in [nil, 80] as [Int?] {
            log.notice("port \(port, default: "none", as: "port"), that is all", ("a", 1))
        }
        #expect(
            sink.settledEntries.map(\.message) == [
                "port none, that is all", "port 80, that is all",
            ]
        )
        #expect(
            sink.settledEntries.map(\.fields) == [
                [Field("port", .null), Field("a", 1)], [Field("port", 80), Field("a", 1)],
            ]
        )
    }

    @Test
    func `an optional value may have every format, with a text in its place or without`() {
        let (number, ratio, isOn): (Int?, Double?, Bool?) = (255, 0.5, true)
        let (noNumber, noRatio, none): (UInt8?, Float?, Bool?) = (nil, nil, nil)
        install([sink])
        log.notice(
            "\(number, format: .hex) \(ratio, format: .fixed(precision: 2)) \(isOn, format: .answer)"
        )
        log.notice("\(noNumber, format: .hex) \(noRatio, format: .fixed) \(none, format: .answer)")
        log.notice(
            """
            \(number, default: "-", format: .hex) \(noNumber, default: "-", format: .hex) \
            \(noRatio, default: "?", as: "ratio", format: .fixed) \
            \(none, default: "off", format: .answer)
            """
        )
        #expect(
            sink.settledEntries.map(\.message) == ["ff 0.50 yes", "nil nil nil", "ff - ? off"]
        )
        #expect(sink.settledEntries[2].fields == [Field("ratio", .null)])
    }

    @Test
    func `the text is evaluated only in the place of an absent value of a record that is accepted`()
    {
        install([sink], filter: "notice")
        var count = 0
        func text() -> String {
            count += 1
            return "none"
        }
        log.notice("\(Int?(1), default: text())")
        log.debug("\(Int?.none, default: text())")
        #expect(count == 0)
        log.notice("\(Int?.none, default: text())")
        #expect(count == 1)
    }

    @Test
    func `a private value is masked, whether it is absent or not`() {
        install([sink])
        for name in [nil, "ann"] as [String?] {
            log.notice("\(name, default: "none", as: "user", privacy: .private)")
        }
        #expect(sink.settledEntries.map(\.message) == ["<private>", "<private>"])
        #expect(sink.settledEntries.flatMap(\.fields).map(\.value) == ["<private>", "<private>"])
    }
}
