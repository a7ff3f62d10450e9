// SPDX-License-Identifier: Apache-2.0

import Foundation
import Support
import Testing
import Winnow
import WinnowCore
import WinnowPipeline

/// Arrays, sets and dictionaries as values of fields.
@Suite(.exclusivePipeline)
struct StructuredValueTests {
    /// Each structure with its JSON.
    private static let structures: [(value: any Sendable, json: String)] = [
        ([1, 2], "[1,2]"), ([Int](), "[]"), ([String: Int](), "{}"), (Set(["x"]), #"["x"]"#),
        (["b": 1, "a": 2], #"{"a":2,"b":1}"#), ([2: "x", 1: "y"], #"{"1":"y","2":"x"}"#),
        (["z": 1, "a": 2] as KeyValuePairs, #"{"z":1,"a":2}"#), ([1, 2, 3][1...], "[2,3]"),
        ([nil, 0.5, -Double.infinity], #"[null,0.5,"-Infinity"]"#),
        ([["a": [true, false]], [:]], #"[{"a":[true,false]},{}]"#),
        (["\"\\\n\u{1}\u{7F}é"], "[\"\\\"\\\\\\n\\u0001\u{7F}é\"]"),
        ([UInt64.max], "[18446744073709551615]"), ([1...2], #"["1...2"]"#),
    ]

    let sink = ScriptedSink()
    let log = Log("tests.structured")

    @Test(arguments: DeliveryMode.both, Self.structures.indices)
    func `a structure is JSON in every kind of field`(delivery: DeliveryMode, index: Int) {
        let (value, json) = Self.structures[index]
        install([sink], delivery: delivery)
        log.with(("logger", value)).notice("m", ("pair", value))
        log.log(.notice, "m", ("optional", Optional(value)), fields: ["member": value])
        log.notice("\(value, as: "part")")
        let found = sink.settledEntries.flatMap(\.fields)
        #expect(found.map(\.name) == ["pair", "logger", "optional", "member", "part"])
        for field in found { #expect(field.value == .json(JSONText(valid: json)), "\(field.name)") }
        #expect(sink.settledEntries[2].message == json)
    }

    @Test
    func `what JSONSerialization reads is written as it was`() throws {
        let json = #"{"a":[0,1,true,null,1.5,"x"],"b":{"c":{},"d":[9007199254740993]}}"#
        let value = try JSONSerialization.jsonObject(with: Data(json.utf8))
        install([sink])
        log.notice("m", ("body", value))
        let dictionary = NSDictionary(dictionary: try #require(value as? [String: Any]))
        log.notice("m", ("body", dictionary))
        log.notice("m", ("body", NSArray(array: [NSSet(object: 1), NSNull(), NSString("x")])))
        let fields = sink.settledEntries.flatMap(\.fields).map(\.value.description)
        #expect(fields == [json, json, #"[[1],null,"x"]"#])
    }

    @Test
    func
        `a structure that is a part of the message and no field stands there as Swift describes it`()
    {
        install([sink])
        log.notice("\([1, 2]) \(["a"], align: .right(columns: 7)) \(Optional(["k": "v"]))")
        #expect(sink.settledEntries[0].message == #"[1, 2]   ["a"] ["k": "v"]"#)
    }

    @Test
    func `a private structure is masked`() {
        install([sink])
        log.notice("m", ("x", PrivateValue([1])))
        log.notice("\([1], as: "x", privacy: .private)")
        #expect(sink.settledEntries.flatMap(\.fields).map(\.value) == ["<private>", "<private>"])
    }

    @Test
    func `a structure of any depth ends`() {
        var value: any Sendable = 1
        for _ in 0..<500 { value = [value] }
        install([sink])
        log.notice("m", ("x", value))
        let text = sink.settledEntries[0].fields[0].value.description
        #expect(
            text == String(repeating: "[", count: 64) + #""…""# + String(repeating: "]", count: 64)
        )
    }

    @Test(arguments: DeliveryMode.both)
    func `pairs and a list may stand together`(delivery: DeliveryMode) {
        install([sink], delivery: delivery)
        log.notice("m", ("a", 1), fields: ["b": 2, "c": "d"])
        log.error("m", errno: 2, ("a", 1), ("b", true), fields: Fields(["z": 1, "y": 2]))
        log.log(
            .notice,
            "m",
            ("a", 1),
            ("b", 2),
            ("c", 3),
            ("d", 4),
            ("e", 5),
            ("f", 6),
            ("g", 7),
            ("h", 8),
            fields: ["i": 9]
        )
        log.notice("m", ("a", 1), fields: nil)
        let names = sink.settledEntries.map { $0.fields.map(\.name) }
        #expect(names[0] == ["a", "b", "c"])
        #expect(names[1] == ["errno", "a", "b", "y", "z"])
        #expect(names[2] == ["a", "b", "c", "d", "e", "f", "g", "h", "i"])
        #expect(names[3] == ["a"])
    }

    @Test
    func `a list behind pairs is evaluated only if the record is accepted`() {
        install([sink], filter: "notice")
        var count = 0
        func list() -> Fields {
            count += 1
            return ["n": count]
        }
        log.debug("m", ("a", 1), fields: list())
        #expect(count == 0)
        log.notice("m", ("a", 1), fields: list())
        #expect(count == 1)
    }

    @Test
    func `a dictionary gives fields in the order of their names`() {
        let members = ["c": 1, "a": 2, "b": 3]
        let mixed: [String: Any] = ["y": 1, "x": "text"]
        install([sink])
        log.notice("m", fields: members)
        log.log(.notice, "m", fields: mixed)
        log.with(fields: mixed).notice("m")
        #expect(sink.settledEntries[0].fields == [Field("a", 2), Field("b", 3), Field("c", 1)])
        #expect(sink.settledEntries[1].fields == [Field("x", "text"), Field("y", 1)])
        #expect(sink.settledEntries[2].fields == sink.settledEntries[1].fields)
    }

    @Test
    func `a filter may have interpolations`() {
        let filter: Filter = "notice,net=\(Level.debug)"
        #expect(filter.problems.isEmpty)
        #expect(filter.levels(for: "net") == .all)
        #expect(filter.levels(for: "db") == .upTo(.notice))
    }
}
