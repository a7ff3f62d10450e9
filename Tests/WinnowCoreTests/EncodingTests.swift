// SPDX-License-Identifier: Apache-2.0

import Testing
import WinnowCore
import WinnowTesting

/// What is encoded comes out again.
struct EncodingTests {
    /// A random number generator that gives the same numbers in every run.
    struct Xorshift: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state
        }
    }

    @Test
    func `every type keeps its text in the message`() {
        let message: LogMessage = """
            \(Int8.min) \(Int16.min) \(Int32.min) \(Int64.min) \(Int.max) \(UInt8.max) \
            \(UInt16.max) \(UInt32.max) \(UInt64.max) \(UInt.max) \(Float(0.1)) \(0.1) \
            \(Double.infinity) \(Character("x")) \("sub-string".dropFirst(4)) \([1]) \(true)
            """
        withRecord(message) { record in
            #expect(
                record.message == """
                    -128 -32768 -2147483648 -9223372036854775808 9223372036854775807 255 65535 \
                    4294967295 18446744073709551615 18446744073709551615 0.1 0.1 inf x string [1] \
                    true
                    """
            )
        }
    }

    @Test
    func `any number of fields and any length of text come out as they went in`() {
        var random = Xorshift(state: 0x2545_F491_4F6C_DD1D)
        for _ in 0..<500 {
            let fields = (0..<Int.random(in: 0...60, using: &random)).map { number in
                let text = String(
                    repeating: "\u{1F980}",
                    count: Int.random(in: 0...400, using: &random)
                )
                let values: [FieldValue] = [
                    .string(text), .integer(-5), .unsigned(7), .double(1.5), .bool(true), .null,
                ]
                return Field("name\(number)", values[Int.random(in: 0..<6, using: &random)])
            }
            let text = String(repeating: "m", count: Int.random(in: 0...30_000, using: &random))
            withRecord(LogMessage(verbatim: text), fields: Fields(fields)) { record in
                #expect(record.message == text)
                #expect(record.fields == fields)
            }
        }
    }

    @Test(arguments: [10, 100, 5_000])
    func `an interpolation of one's own may append any number of items`(count: Int) {
        withRecord("\(list: Array(0..<count))", fields: ["n": 1]) { record in
            #expect(record.message == (0..<count).map { "\($0)," }.joined())
            #expect(record.fields == [Field("n", 1)])
        }
    }

    @Test
    func `a text of any length stands between its neighbors`() {
        let digits = String(repeating: "0123456789", count: 8)
        for count in 0...80 {
            let text = String(digits.prefix(count))
            withRecord("\(text)\(7)\(text)", fields: ["text": text]) { record in
                #expect(record.message == "\(text)7\(text)")
                #expect(record.fields == [Field("text", .string(text))])
            }
        }
    }

    @Test
    func `a literal of any length stands between its neighbors`() {
        withRecord("\(1)a\(2)bc\(3)def\(4)ghij\(5)klmno\(6)pqrstu\(7)vwxyzab\(8)cdefghij\(9)") {
            #expect($0.message == "1a2bc3def4ghij5klmno6pqrstu7vwxyzab8cdefghij9")
        }
        withRecord("\(1)sixteen bytes are\(2)seventeen bytes is\(3)fifteen it is it\(4)nine char") {
            #expect(
                $0.message
                    == "1sixteen bytes are2seventeen bytes is3fifteen it is it4nine char"
            )
        }
    }

    @Test
    func `what is plain and what has a name or a format take turns`() {
        withRecord(
            """
            a\(1)b\(2, as: "two")c\(255, format: .hex)d\(0.25)e\(true)f\(UInt8(7))g\("s", as: "text")\
            h\(-3)i\("t", align: .right(columns: 3))j\(0.5, as: "half")k\(Float(0.1))l\("u")m
            """,
            fields: ["x": 1, "y": "z", "n": nil, "f": 1.5, "b": false]
        ) { record in
            #expect(record.message == "a1b2cffd0.25etruef7gsh-3i  tj0.5k0.1lum")
            #expect(
                record.fields == [
                    Field("two", .integer(2)), Field("text", .string("s")),
                    Field("half", .double(0.5)), Field("x", .integer(1)),
                    Field("y", .string("z")), Field("n", .null), Field("f", .double(1.5)),
                    Field("b", .bool(false)),
                ]
            )
        }
    }

    @Test
    func `integers beyond 64 bits are described`() {
        #expect(FieldValue(describing: Int128.max).description == Int128.max.description)
        #expect(FieldValue(describing: Int128(5)) == .integer(5))
        #expect(FieldValue(describing: UInt(5)) == .unsigned(5))
        #expect(FieldValue(describing: UInt8.max) == .unsigned(255))
        #expect(FieldValue(describing: UInt128.max).description == UInt128.max.description)
    }

    @Test
    func `nested optionals are what they hold`() {
        let nested: Int?? = .some(.none)
        #expect(FieldValue(describing: nested as Any) == .null)
        #expect(FieldValue(describing: Optional(Optional(3)) as Any) == .integer(3))
    }

    @Test
    func `an empty message with one empty field is whole`() {
        withRecord("", fields: ["": ""]) { record in
            #expect(record.message == "")
            #expect(record.fields == [Field("", "")])
        }
    }

    @Test
    func `a record says where and when it was made`() {
        withRecord("m", level: .alert, category: "c", timestamp: 5, sequence: 6) { record in
            #expect(record.level == .alert)
            #expect(record.category == "c")
            #expect(record.timestamp == 5)
            #expect(record.sequence == 6)
            #expect(record.location.module == "TestModule")
        }
    }

    @Test
    func `hashes of private values are equal within a process and tell nothing`() {
        withRecord("\("a", privacy: .private(mask: .hash)) \("a", privacy: .private(mask: .hash))")
        {
            let parts = $0.message.split(separator: " <")
            #expect(parts.count == 2)
            #expect("<" + parts[1] == parts[0])
        }
        withRecord("\(7, as: "n", privacy: .private)", privacy: .hash) { record in
            #expect(record.message.hasPrefix("<hash: "))
            #expect(record.fields[0].value == .string(record.message))
        }
        withRecord("\(7, align: .right(columns: 12), privacy: .private)!") { record in
            #expect(record.message == "   <private>!")
        }
    }
}

extension LogMessage.StringInterpolation {
    /// What a program may add for a type of its own.
    fileprivate mutating func appendInterpolation(list: [Int]) {
        for number in list {
            appendInterpolation(number)
            appendLiteral(",")
        }
    }
}
