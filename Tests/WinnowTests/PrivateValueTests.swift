// SPDX-License-Identifier: Apache-2.0

import Support
import Testing
import Winnow
import WinnowPipeline

@Suite(.exclusivePipeline)
struct PrivateValueTests {
    let sink = ScriptedSink()
    let log = Log("tests.private")

    private var fields: [[Field]] { sink.settledEntries.map(\.fields) }

    @Test(arguments: DeliveryMode.both)
    func `a private value in a pair is masked, and the pairs beside it are not`(
        delivery: DeliveryMode
    ) {
        install([sink], delivery: delivery)
        let absent: PrivateValue? = nil
        log.notice("m", ("a", 1), ("user", PrivateValue("ann")), ("b", 2))
        log.log(.error, "m", ("pin", PrivateValue(1234, .sensitive)))
        log.notice("m", ("some", PrivateValue?.some(PrivateValue("ann"))), ("none", absent))
        log.notice("m \(PrivateValue("ann")) n")
        #expect(
            fields[0] == [
                Field("a", .integer(1)), Field("user", "<private>"), Field("b", .integer(2)),
            ]
        )
        #expect(fields[1] == [Field("pin", "<private>")])
        #expect(fields[2] == [Field("some", "<private>"), Field("none", .null)])
        #expect(sink.settledEntries.map(\.message) == ["m", "m", "m", "m <private> n"])
    }

    @Test(arguments: DeliveryMode.both)
    func `a private value is masked in fields of every other kind`(delivery: DeliveryMode) {
        install([sink], delivery: delivery)
        log.notice("m", fields: ["user": PrivateValue("ann")])
        log.notice("m", fields: Fields(["user": PrivateValue("ann")]))
        log.notice("m", fields: [Field("user", PrivateValue("ann"))])
        log.with(("user", PrivateValue("ann"))).notice("m")
        Log.withContext(("user", PrivateValue("ann"))) { log.notice("m") }
        log.with(("user", PrivateValue("ann"))).interval("m") {}
        #expect(fields.count == 7)
        for record in fields {
            #expect(record.filter { $0.name == "user" } == [Field("user", "<private>")])
        }
    }

    @Test
    func `equal values have equal hashes`() throws {
        install([sink])
        log.notice("m \("ann", as: "user", privacy: .private(mask: .hash))")
        log.notice("m", ("user", PrivateValue("ann", .private(mask: .hash))))
        log.notice("m", ("user", PrivateValue("bob", .private(mask: .hash))))
        try #require(fields.count == 3)
        #expect(fields[0] == fields[1])
        #expect(fields[1] != fields[2])
    }

    @Test
    func `values that are shown keep their types`() {
        install([sink], privacy: .show)
        log.notice(
            "m",
            ("text", PrivateValue("ann")),
            ("number", PrivateValue(7)),
            ("truth", PrivateValue(true)),
            ("null", PrivateValue(Int?.none)),
            ("some", PrivateValue?.some(PrivateValue(0.5, .sensitive)))
        )
        #expect(
            fields == [
                [
                    Field("text", .string("ann")), Field("number", .integer(7)),
                    Field("truth", .bool(true)),
                    Field("null", .null), Field("some", .double(0.5)),
                ]
            ]
        )
    }

    @Test
    func `nothing else that describes a private value shows it`() {
        let value = PrivateValue("ann")
        var dumped = ""
        dump([value], to: &dumped)
        for text in [
            "\(value)", String(reflecting: value), "\([value])", "\(["k": value])", dumped,
        ] {
            #expect(text.contains("<private>"))
            #expect(!text.contains("ann"))
        }
        #expect(FieldValue(describing: value) == "<private>")
    }
}
