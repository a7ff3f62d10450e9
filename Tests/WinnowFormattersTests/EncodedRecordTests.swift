// SPDX-License-Identifier: Apache-2.0

import Testing
import WinnowCore
import WinnowFormatters
import WinnowTesting

/// A record that is not decoded becomes the line that it becomes when it is.
struct EncodedRecordTests {
    /// Calls the body with an encoded record, and its line by way of a decoded one.
    private func withEncoded(
        _ message: LogMessage,
        fields: [(StaticString, FieldValue)] = [],
        level: Level = .notice,
        category: String = "net",
        by formatter: TextFormatter = TextFormatter(),
        _ body: (EncodedRecord, [UInt8]) -> Void
    ) {
        var encoder = message.encoder
        encoder.adopt()
        for (name, value) in fields { Self.append(name, value, to: &encoder) }
        encoder.close()
        defer { withExtendedLifetime(encoder) {} }
        // A message that no log call waits for owns its memory.
        let arguments = unsafe Encoder.start(of: encoder.owner.unsafelyUnwrapped)
        var content = RecordContent()
        unsafe RecordDecoder.decode(arguments, policy: .redact, into: &content)
        withRecord("", level: level, category: category) { model in
            let line = Record.withRecord(header: model.header, content: content) {
                bytes(of: $0, by: formatter)
            }
            unsafe withUnsafePointer(to: model.header) { header in
                unsafe body(EncodedRecord(header: header, arguments: arguments), line)
            }
        }
    }

    private static func append(
        _ name: StaticString,
        _ value: FieldValue,
        to encoder: inout LogMessage.StringInterpolation
    ) {
        switch value {
        case .string(let text): encoder.appendField(name, text)
        case .integer(let number): encoder.appendField(name, number)
        case .unsigned(let number): encoder.appendField(name, number)
        case .double(let number): encoder.appendField(name, number)
        case .bool(let truth): encoder.appendField(name, truth)
        case .null: encoder.appendField(name, Int?.none)
        case .json(let text): encoder.appendField(name, FieldValue.json(text))
        }
    }

    /// Appends the record to what the buffer holds; nil where it must be decoded, and nothing was
    /// added.
    private func line(
        of record: EncodedRecord,
        by formatter: TextFormatter,
        in buffer: inout ByteBuffer
    ) -> [UInt8]? {
        let before = contents(of: buffer)
        let isPlain = unsafe formatter.format(record, into: &buffer)
        let after = contents(of: buffer)
        #expect(after.starts(with: before))
        #expect(isPlain || after.count == before.count)
        return isPlain ? Array(after.dropFirst(before.count)) : nil
    }

    /// The line of a record that need not be decoded, as text; nil of another.
    private func plainLine(
        _ message: LogMessage,
        fields: [(StaticString, FieldValue)] = [],
        category: String = "net",
        by formatter: TextFormatter = TextFormatter()
    ) -> String? {
        var buffer = ByteBuffer()
        var text: String?
        unsafe withEncoded(message, fields: fields, category: category, by: formatter) {
            guard let line = unsafe line(of: $0, by: formatter, in: &buffer) else { return }
            #expect(line == $1)
            text = String(decoding: line.dropFirst(28), as: UTF8.self)
        }
        return text
    }

    @Test func `texts, numbers, truth values and fields are written in one pass`() {
        #expect(plainLine("plain") == "notice  [net] plain\n")
        #expect(plainLine("plain", category: "") == "notice  plain\n")
        #expect(
            plainLine("\(1) took \(0.25) s for \("a text of 23 characters") \(true) \(UInt8(7))")
                == "notice  [net] 1 took 0.25 s for a text of 23 characters true 7\n"
        )
        #expect(
            plainLine("\(Int64.min) \(UInt64.max) \(-1) \(100_000_000) \(-0.5) \(0.0)")
                == "notice  [net] -9223372036854775808 18446744073709551615 -1 100000000 -0.5 0.0\n"
        )
        let fields: [(StaticString, FieldValue)] = [
            ("id", 17), ("seconds", 0.25), ("path", "/index.html"), ("name", "a b"), ("ok", true),
            ("size", .unsigned(9)), ("none", .null),
        ]
        #expect(
            plainLine("call", fields: fields)
                == """
                notice  [net] call id=17 seconds=0.25 path=/index.html name="a b" ok=true size=9 \
                none=nil\n
                """
        )
    }

    @Test func `what is not plain is decoded`() {
        for text in ["größe", "a\nb", "\u{1B}[2J", String(repeating: "x", count: 5_000)] {
            #expect(plainLine("text \(text)") == nil)
            #expect(plainLine("text", fields: [("text", .string(text))]) == nil)
        }
        #expect(plainLine("name \(7, as: "count")") == nil)
        #expect(plainLine("secret \("x", privacy: .private)") == nil)
        #expect(plainLine("hex \(255, format: .hex)") == nil)
        #expect(plainLine("\(0.1 + 0.2)") == nil)
        #expect(plainLine("text", fields: [("a b", 1)]) == nil)
        #expect(plainLine("text", fields: [("", 1)]) == nil)
        #expect(plainLine("text", fields: [("empty", "")]) == nil)
        #expect(plainLine("text", fields: [("quote", "\"")]) == nil)
        #expect(plainLine("text", category: "a\nb") == nil)
        for formatter in [
            TextFormatter(color: true), TextFormatter(levelPrefix: true),
            TextFormatter(location: true),
        ] {
            #expect(plainLine("text", by: formatter) == nil)
        }
    }

    @Test func `pieces of a character are put together`() {
        var message = LogMessage.StringInterpolation(literalCapacity: 0, interpolationCount: 0)
        for byte in Array("é".utf8) {
            unsafe withUnsafeBytes(of: byte) { unsafe message.appendText($0) }
        }
        #expect(plainLine(LogMessage(stringInterpolation: message)) == nil)
    }

    @Test func `every line is that of the decoded record, whatever was written before`() {
        let literals: [StaticString] = [
            "", "x", " took ", "seven b", "eight by", "nine byte", "fifteen letters", "größe",
            "a\tb",
            "a literal of some forty characters in all", "\u{1B}[31m", "~}", "\u{7F}",
        ]
        let names: [StaticString] = [
            "a", "id", "count", "a name of more than 16", "a=b", "", "é", "with\"", "eight_by",
        ]
        let categories = ["", "net", "db.pool", "a\nb", "a category that is longer than a label"]
        let formatters: [TextFormatter] = [
            TextFormatter(), TextFormatter(time: .none), TextFormatter(time: .local),
        ]
        var buffer = ByteBuffer()
        var plainCount = 0
        fuzz(seed: 31) { random in
            var message = LogMessage.StringInterpolation(literalCapacity: 0, interpolationCount: 0)
            for _ in 0..<Int.random(in: 0...24, using: &random) {
                if Bool.random(using: &random) {
                    message.appendLiteral(literals.randomElement(using: &random) ?? "")
                } else {
                    Self.appendValue(to: &message, using: &random)
                }
            }
            let fields = (0..<Int.random(in: 0...20, using: &random)).map { _ in
                (names.randomElement(using: &random) ?? "", Self.value(using: &random))
            }
            let formatter = formatters.randomElement(using: &random) ?? TextFormatter()
            unsafe withEncoded(
                LogMessage(stringInterpolation: message),
                fields: Bool.random(using: &random) ? fields : [],
                level: Level.allCases.randomElement(using: &random) ?? .notice,
                category: categories.randomElement(using: &random) ?? "",
                by: formatter
            ) {
                if buffer.count > 4_000 { buffer.removeAll() }
                guard let line = unsafe line(of: $0, by: formatter, in: &buffer) else { return }
                plainCount += 1
                #expect(line == $1)
            }
        }
        #expect(plainCount > 100)
    }

    private static func appendValue(
        to message: inout LogMessage.StringInterpolation,
        using random: inout SeededRandom
    ) {
        switch value(using: &random) {
        case .string(let text): message.appendInterpolation(text)
        case .integer(let number): message.appendInterpolation(number)
        case .unsigned(let number): message.appendInterpolation(number)
        case .double(let number): message.appendInterpolation(number)
        case .bool(let truth): message.appendInterpolation(truth)
        case .null: message.appendInterpolation(Int?.none)
        case .json(let text): message.appendInterpolation(FieldValue.json(text))
        }
    }

    private static func value(using random: inout SeededRandom) -> FieldValue {
        let harmless = (0..<Int.random(in: 0...70, using: &random)).map { _ in
            UInt8.random(in: 0x20...0x7E, using: &random)
        }
        switch Int.random(in: 0..<40, using: &random) {
        case 0: return .string(String(decoding: random.hostileBytes(), as: UTF8.self))
        case 1: return .string("größe \(harmless.count)")
        case 2: return .double(Double(bitPattern: random.next()))
        case 3: return .null
        case 4..<10: return .bool(Bool.random(using: &random))
        case 10..<16: return .unsigned(random.edge(of: UInt64.self))
        case 16..<22: return .integer(random.edge(of: Int64.self))
        case 22..<28:
            return .double(Double(Int.random(in: -999_999...999_999, using: &random)) / 64)
        default: return .string(String(decoding: harmless, as: UTF8.self))
        }
    }
}
