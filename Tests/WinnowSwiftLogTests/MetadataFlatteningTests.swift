// SPDX-License-Identifier: Apache-2.0

#if SwiftLog

internal import Foundation
internal import Logging
internal import Support
internal import Testing
internal import Winnow
internal import WinnowCore
internal import WinnowSwiftLog

/// An attribute as packages beside swift-log define it.
private enum Sensitivity: Int64, Logger.MetadataValueAttributes.Attribute {
    case open
    case personal
    case secret
}

@Suite(.exclusivePipeline)
struct MetadataFlatteningTests {
    let sink = ScriptedSink()

    private func fields(of metadata: Logger.Metadata) -> [Field]? {
        sink.install()
        Logger(overWinnow: "metadata").notice("m", metadata: metadata)
        return sink.entries.last?.fields
    }

    @Test
    func `values keep their type`() {
        let fields = fields(of: [
            "bool": .stringConvertible(true),
            "double": .stringConvertible(2.5),
            "int": .stringConvertible(-42),
            "other": .stringConvertible(1...3),
            "text": "42",
            "uint": .stringConvertible(UInt64.max),
        ])
        #expect(
            fields == [
                Field("bool", .bool(true)), Field("double", .double(2.5)),
                Field("int", .integer(-42)), Field("other", .string("1...3")),
                Field("text", .string("42")), Field("uint", .unsigned(.max)),
            ]
        )
    }

    @Test
    func `a number that Foundation holds is what it was made of`() {
        let numbers: [NSNumber] = [true, 0, 1, 2, 1.0]
        let values = numbers.map { Logger.MetadataValue.stringConvertible($0) }
        let fields = fields(of: [
            "a": values[0], "b": values[1], "c": values[2], "d": values[3], "e": values[4],
        ])
        #expect(
            fields?.map(\.value) == [
                .bool(true), .integer(0), .integer(1), .integer(2), .double(1),
            ]
        )
    }

    @Test
    func `a dictionary becomes a field for each leaf`() {
        let fields = fields(of: [
            "a": ["b": ["c": "deep", "d": .stringConvertible(1)], "e": "shallow"],
            "empty": .dictionary([:]),
        ])
        #expect(
            fields == [
                Field("a.b.c", "deep"), Field("a.b.d", 1), Field("a.e", "shallow"),
                Field("empty", .json(JSONText(valid: "{}"))),
            ]
        )
    }

    @Test
    func `an array becomes compact JSON`() {
        let list =
            #"["a \"b\" \\ é\n\u0001",1,0.5,false,"NaN",["x",[1]],{"j":18446744073709551615,"#
            + #""k":"v"}]"#
        let fields = fields(of: [
            "empty": .array([]),
            "list": [
                "a \"b\" \\ é\n\u{1}", .stringConvertible(1), .stringConvertible(0.5),
                .stringConvertible(false), .stringConvertible(Double.nan),
                ["x", .stringConvertible([1])],
                ["k": "v", "j": .stringConvertible(UInt64.max)],
            ],
        ])
        #expect(
            fields == [
                Field("empty", .json(JSONText(valid: "[]"))),
                Field("list", .json(JSONText(valid: list))),
            ]
        )
    }

    @Test
    func `an array or a dictionary that is a value is JSON`() {
        let fields = fields(of: ["list": .stringConvertible([1, 2])])
        #expect(fields == [Field("list", .json(JSONText(valid: "[1,2]")))])
    }

    @Test
    func `values are masked as the rule says for their attributes`() {
        sink.install()
        let logger = Logger(label: "metadata.private") { label in
            WinnowLogHandler(label: label, metadataProvider: nil) { attributes in
                switch attributes[Sensitivity.self] {
                case .secret: .sensitive
                case .personal: .private
                case .open, nil: .public
                }
            }
        }
        logger.notice(
            "m",
            metadata: [
                "inner": ["key": .attributed("k", attributes: [Sensitivity.secret])],
                "list": ["x", .attributed("ann", attributes: [Sensitivity.personal])],
                "open": .attributed("o", attributes: [Sensitivity.open]),
                "user": .attributed("ann", attributes: [Sensitivity.personal]),
            ]
        )
        #expect(sink.entries.first?.message == "m")
        #expect(
            sink.entries.first?.fields == [
                Field("inner.key", "<private>"), Field("list", "<private>"), Field("open", "o"),
                Field("user", "<private>"),
            ]
        )
        sink.install(privacy: .show)
        logger.notice("m", metadata: ["k": .attributed("v", attributes: [Sensitivity.secret])])
        #expect(sink.entries.last?.fields == [Field("k", "v")])
    }
}

#endif
