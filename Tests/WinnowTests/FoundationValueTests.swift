// SPDX-License-Identifier: Apache-2.0

import Foundation
import Support
import Testing
import Winnow
import WinnowPipeline

/// What Foundation hands out as objects, which the runtime casts to more than what they are.
@Suite(.exclusivePipeline)
struct FoundationValueTests {
    /// Each object with the value that it was made of.
    private static var objects: [(object: NSObject, value: FieldValue)] {
        [
            (NSNumber(value: true), .bool(true)), (NSNumber(value: false), .bool(false)),
            (NSNumber(value: 0), .integer(0)), (NSNumber(value: 1), .integer(1)),
            (NSNumber(value: 2), .integer(2)), (NSNumber(value: Int8(1)), .integer(1)),
            (NSNumber(value: UInt8(1)), .integer(1)), (NSNumber(value: Int.min), .integer(.min)),
            (NSNumber(value: 9_007_199_254_740_993), .integer(9_007_199_254_740_993)),
            (NSNumber(value: UInt64.max), .unsigned(.max)),
            (NSNumber(value: 0.0), .double(0)), (NSNumber(value: 1.0), .double(1)),
            (NSNumber(value: 0.1), .double(0.1)), (NSNumber(value: Float(0.1)), .double(0.1)),
            (NSNumber(value: 1e300), .double(1e300)), (NSNumber(value: -0.0), .double(-0.0)),
            (NSNumber(value: Double.infinity), .double(.infinity)),
            (NSDecimalNumber(string: "1"), .integer(1)),
            (NSDecimalNumber(string: "12.5"), .double(12.5)), (NSNull(), .null),
            (NSString("text"), .string("text")),
        ]
    }

    let sink = ScriptedSink()
    let log = Log("tests.foundation")

    private func value(_ name: String, _ index: Int) -> FieldValue? {
        let fields = sink.settledEntries[index].fields
        return fields.first { $0.name == name }?.value
    }

    @Test(arguments: Self.objects.indices)
    func `an object is what it was made of, in whatever way it comes`(index: Int) {
        let (object, value) = Self.objects[index]
        let any: Any = object
        let optional: Any? = object
        install([sink])
        let logger = log.with(("logger", object))
        Log.withContext(("task", any)) {
            logger.notice("m", ("static", object), ("any", any), ("optional", optional))
        }
        log.notice("m", fields: ["literal": any, "wrapped": optional as Any])
        log.notice("m", fields: Fields(["hashable": AnyHashable(object)]))
        log.notice("m", fields: [Field("field", any)])
        log.log(.notice, "\(any, as: "part")")
        let found = sink.settledEntries.flatMap(\.fields)
        #expect(found.count == 10)
        for field in found { #expect(field.value == value, "\(field.name)") }
        #expect(sink.settledEntries[4].message == value.description)
        log.notice("\(object) and \(any)")
        #expect(sink.settledEntries[5].message == "\(value) and \(value)")
    }

    @Test
    func `what JSONSerialization reads is logged as it was written`() throws {
        let text = #"{"a":0,"b":1,"c":2,"d":9007199254740993,"e":true,"f":1.0,"g":null,"h":"1"}"#
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
        let members = try #require(object as? [String: Any])
        install([sink])
        log.notice("m", fields: Fields(members.sorted { $0.key < $1.key }))
        #expect(
            sink.settledEntries[0].fields.map(\.value) == [
                .integer(0), .integer(1), .integer(2), .integer(9_007_199_254_740_993),
                .bool(true), .double(1), .null, .string("1"),
            ]
        )
    }

    @Test
    func `sizes that FileManager tells are numbers`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try Data([1]).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        install([sink])
        log.notice("\(attributes[.size], as: "part")", ("size", attributes[.size]))
        #expect(sink.settledEntries[0].message == "1")
        #expect(value("size", 0) == .integer(1))
        #expect(value("part", 0) == .integer(1))
    }

    @Test
    func `a private object is masked, and shown with its type`() {
        install([sink], privacy: .show)
        log.notice("m", ("x", PrivateValue(NSNumber(value: 1))))
        #expect(value("x", 0) == .integer(1))
        install([sink], privacy: .redact)
        log.notice("m", ("x", PrivateValue(NSNumber(value: 1))))
        #expect(value("x", 1) == "<private>")
    }

    @Test(arguments: ["12345678901234567890.123456789", "-0.10000000000000000001"])
    func `a decimal number keeps all its digits and stays a number`(digits: String) throws {
        let decimal = try #require(Decimal(string: digits))
        install([sink])
        log.notice("\(decimal)", ("a", decimal), ("b", NSDecimalNumber(decimal: decimal)))
        let half = try #require(Decimal(string: "0.5"))
        log.notice("m", ("a", Decimal(2)), ("b", half))
        #expect(sink.settledEntries[0].message == digits)
        for name in ["a", "b"] {
            guard case .json(let text)? = value(name, 0) else {
                Issue.record("\(name) is \(String(describing: value(name, 0)))")
                continue
            }
            #expect(text.description == digits)
        }
        #expect(value("a", 1) == .integer(2))
        #expect(value("b", 1) == .double(0.5))
    }

    @Test
    func `an object of the program's own is described`() {
        final class Own: CustomStringConvertible {
            let description = "own"
        }
        install([sink])
        log.notice("\(Own())", ("a", Own()), ("b", Own() as AnyObject))
        #expect(sink.settledEntries[0].message == "own")
        #expect(value("a", 0) == .string("own"))
        #expect(value("b", 0) == .string("own"))
    }
}
