// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WinnowCore
import WinnowFormatters
import WinnowTesting

/// The members that follow `fields` in the records of these tests.
private let ending =
    #","file":"TestModule/Test.swift","line":42,"function":"test()","module":"TestModule""#
    + #","thread":12,"process":10,"run":"9f3c01aa","sequence":1,"level_sequence":1}"# + "\n"

/// The members before `message` in the records of these tests.
private let beginning = #"{"time":"2026-11-21T09:30:15.123456Z","level":"notice""#

struct JSONFormatterTests {
    @Test func `a line is one object with the members in their order`() {
        let line = withRecord(
            "listening on \("host", as: "host"):\(80, as: "port")",
            category: "net",
            fields: ["backlog": 128]
        ) { text(of: $0, by: JSONFormatter()) }
        #expect(
            line == beginning + #","category":"net","message":"listening on host:80","#
                + #""fields":{"host":"host","port":80,"backlog":128}"# + ending
        )
    }

    @Test func `empty members are left out`() {
        let unknown = SourceLocation(fileID: "", function: "", line: 0)
        let line = withRecord("m", location: unknown) { text(of: $0, by: JSONFormatter()) }
        #expect(
            line == beginning + #","message":"m","thread":12,"process":10,"run":"9f3c01aa","#
                + #""sequence":1,"level_sequence":1}"# + "\n"
        )
    }

    @Test func `values keep their type`() {
        let fields: Fields = [
            "text": "80", "int": -9_223_372_036_854_775_808,
            "large": FieldValue.unsigned(18_446_744_073_709_551_615),
            "half": 0.5, "small": FieldValue.double(.leastNonzeroMagnitude), "big": 1e16,
            "zero": -0.0,
            "yes": true, "no": false,
            "null": nil,
        ]
        let line = withRecord("m", fields: fields) { text(of: $0, by: JSONFormatter()) }
        #expect(
            line == beginning + #","message":"m","fields":{"text":"80","int":-9223372036854775808"#
                + #","large":18446744073709551615,"half":0.5,"small":5e-324,"big":1e+16"#
                + #","zero":-0.0,"yes":true,"no":false,"null":null}"# + ending
        )
    }

    @Test func `a number of more than 64 bits keeps its digits and stays a number`() {
        let fields: Fields = ["large": UInt128.max, "small": Int128.min]
        let line = withRecord("m", fields: fields) { text(of: $0, by: JSONFormatter()) }
        #expect(
            line == beginning
                + #","message":"m","fields":{"large":340282366920938463463374607431768211455,"#
                + #""small":-170141183460469231731687303715884105728}"# + ending
        )
    }

    @Test func `a structure is a value of its own, and harmless`() {
        let fields: Fields = [
            "list": [1, "x", nil] as [Any?], "map": ["\u{7F}\u{202E}é": "\n\u{9B}\""],
        ]
        let line = withRecord("m", fields: fields) { text(of: $0, by: JSONFormatter()) }
        #expect(
            line == beginning + #","message":"m","fields":{"list":[1,"x",null],"#
                + #""map":{"\u007f\u202eé":"\n\u009b\""}}"# + ending
        )
    }

    @Test func `what is no number in JSON becomes a text`() {
        let fields: Fields = [
            "a": FieldValue.double(.nan), "b": FieldValue.double(.infinity),
            "c": FieldValue.double(-.infinity),
        ]
        let line = withRecord("m", fields: fields) { text(of: $0, by: JSONFormatter()) }
        #expect(
            line == beginning
                + #","message":"m","fields":{"a":"NaN","b":"Infinity","c":"-Infinity"}"# + ending
        )
    }

    @Test func `fields of one name are numbered`() {
        let fields: Fields = ["a": 1, "a": 2, "b": 3, "a": 4]
        let line = withRecord("m", fields: fields) { text(of: $0, by: JSONFormatter()) }
        #expect(
            line == beginning + #","message":"m","fields":{"a":1,"a_2":2,"b":3,"a_3":4}"# + ending
        )
    }

    @Test func `a number is free of the names that the record has itself`() {
        let fields: Fields = ["a": 1, "a": 2, "a_2": 3, "a_2": 4, "a_7": 5, "a_x": 6]
        let line = withRecord("m", fields: fields) { text(of: $0, by: JSONFormatter()) }
        #expect(
            line == beginning
                + #","message":"m","fields":{"a":1,"a_8":2,"a_2":3,"a_2_2":4,"a_7":5,"a_x":6}"#
                + ending
        )
    }

    @Test func `names are told apart among many as among few`() throws {
        var fields: Fields = ["a": 1, "a": 2, "a_2": 3, "a_2": 4, "a_7": 5, "a_x": 6]
        fields.elements += (0..<40).map { Field("f\($0)", $0) } + [Field("f1", 0), Field("", 0)]
        fields.elements += [Field("", 1), Field("_9", 2), Field("a_", 3)]
        let line = withRecord("m", fields: fields) { text(of: $0, by: JSONFormatter()) } ?? ""
        #expect(line.contains(#"{"a":1,"a_8":2,"a_2":3,"a_2_2":4,"a_7":5,"a_x":6,"f0":0,"#))
        #expect(line.contains(#","f39":39,"f1_2":0,"":0,"_10":1,"_9":2,"a_":3}"#))
    }

    @Test func `two thousand fields are not compared with each other`() throws {
        let names = (0..<2_000).map { $0 % 2 == 0 ? "same" : "f\($0)" }
        let fields = Fields(names.map { Field($0, 0) })
        let line = withRecord("m", fields: fields) { text(of: $0, by: JSONFormatter()) }
        let parsed = try JSONSerialization.jsonObject(with: Data((line ?? "").utf8))
        let found = (parsed as? [String: Any])?["fields"] as? [String: Any]
        #expect(found?.count == 2_000)
        #expect(found?["same_1000"] != nil)
    }

    @Test func `a text cannot end its string or the line`() {
        let line = withRecord(
            "x\",\"level\":\"debug\n\u{1B}[0m\u{2028}\u{202E}",
            category: "a\"b",
            fields: ["k\"\n": "v\\"]
        ) { text(of: $0, by: JSONFormatter()) }
        #expect(
            line == beginning + #","category":"a\"b","message":"x\",\"level\":\"debug\n\u001b[0m"#
                + #"\u2028\u202e","fields":{"k\"\n":"v\\"}"# + ending
        )
    }

    @Test func `bytes that are not UTF-8 become the replacement character`() {
        let line = withRecord(
            messageBytes: [0x61, 0xFF, 0x00, 0xE2, 0x82],
            fields: [(Array("f".utf8), [0x80])]
        ) { text(of: $0, by: JSONFormatter()) }
        #expect(
            line == beginning
                + ",\"message\":\"a\u{FFFD}\\u0000\u{FFFD}\",\"fields\":{\"f\":\"\u{FFFD}\"}"
                + ",\"thread\":12,\"process\":10,\"run\":\"9f3c01aa\""
                + ",\"sequence\":1,\"level_sequence\":1}\n"
        )
    }

    @Test func `Foundation's decoder finds the extreme numbers again`() throws {
        struct Line: Decodable {
            struct Fields: Decodable {
                let least: Int64
                let greatest: UInt64
                let minusZero, tiny, normal, huge, odd: Double
                let float: Float
                let nan: String
            }
            let fields: Fields
        }
        let fields: Fields = [
            "least": Int64.min, "greatest": UInt64.max, "minusZero": -0.0,
            "tiny": Double.leastNonzeroMagnitude, "normal": Double.leastNormalMagnitude,
            "huge": Double.greatestFiniteMagnitude, "odd": 0.1 + 0.2, "float": Float.pi,
            "nan": Double.nan,
        ]
        let line = withRecord("m", fields: fields) { bytes(of: $0, by: JSONFormatter()) }
        let decoded = try JSONDecoder().decode(Line.self, from: Data(line)).fields
        #expect(decoded.least == .min)
        #expect(decoded.greatest == .max)
        #expect(decoded.minusZero.bitPattern == (-0.0).bitPattern)
        #expect(decoded.tiny == .leastNonzeroMagnitude)
        #expect(decoded.normal == .leastNormalMagnitude)
        #expect(decoded.huge == .greatestFiniteMagnitude)
        #expect(decoded.odd == 0.1 + 0.2)
        #expect(decoded.float == .pi)
        #expect(decoded.nan == "NaN")
    }

    @Test func `a parser finds every member again`() throws {
        let line = withRecord(
            "größe 👩‍👩‍👧\n\(7, as: "n")",
            level: .critical,
            category: "db.pool",
            fields: ["ok": true, "n": "seven"]
        ) { bytes(of: $0, by: JSONFormatter()) }
        let parsed = try JSONSerialization.jsonObject(with: Data(line))
        let object = try #require(parsed as? [String: Any])
        #expect(object["level"] as? String == "critical")
        #expect(object["category"] as? String == "db.pool")
        #expect(object["message"] as? String == "größe 👩‍👩‍👧\n7")
        let fields = try #require(object["fields"] as? [String: Any])
        #expect(fields["n"] as? Int == 7)
        #expect(fields["ok"] as? Bool == true)
        #expect(fields["n_2"] as? String == "seven")
        #expect(object["module"] as? String == "TestModule")
        #expect(object["sequence"] as? Int == 1)
    }
}
