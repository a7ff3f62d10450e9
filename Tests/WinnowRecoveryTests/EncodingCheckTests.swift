// SPDX-License-Identifier: Apache-2.0

import CWinnow
import Testing
import WinnowCore
import WinnowFormatters
import WinnowRecovery
import WinnowTesting

/// An encoding of which any byte may be wrong.
struct EncodingCheckTests {
    /// Messages with all kinds of items.
    private static let messages: [(message: LogMessage, fields: [Field])] = [
        ("a literal", []), ("", []),
        (
            "\(1) \(2.5) \(true) \("text") \(UInt64.max) \(Float(0.1)) \(nil as Int?, default: "none")",
            []
        ),
        ("\(7, as: "port") \(255, format: .hex(includePrefix: true))", []),
        ("\(0.1, format: .fixed(precision: 2)) \("x", align: .right(columns: 12))", []),
        ("\("secret", privacy: .private(mask: .hash))", []),
        (
            "all at once \("🦀")",
            [
                Field("a", 1), Field("b", "text"), Field("c", .null), Field("d", .double(1.5)),
                Field("list", FieldValue(describing: ["x", "y"])),
            ] + (0..<40).map { Field("f\($0)", .integer($0)) }
        ),
    ]

    /// The encoding of a message: its words, as they must lie at a multiple of eight.
    private static func encode(_ message: LogMessage, _ fields: [Field]) -> [UInt64] {
        var encoder = message.encoder
        encoder.adopt()
        encoder.appendFields(fields)
        encoder.appendErrno(2)
        encoder.appendError(CancellationError())
        encoder.appendMessageID("fc2e22bc6ee647b6b90729ab34a250b1")
        encoder.appendLocation(file: "Module/File.swift", function: "function()")
        encoder.close()
        let start = unsafe Encoder.start(of: encoder.owner.unsafelyUnwrapped)
        let count = unsafe encoder.position - start
        defer { withExtendedLifetime(encoder) {} }
        return (0..<count / 8).map { unsafe start.load(fromByteOffset: $0 * 8, as: UInt64.self) }
    }

    /// Checks words in their place; returns the bytes of the encoding.
    private static func check(
        _ words: inout [UInt64],
        _ relocate: @escaping (EncodedLiteral) -> EncodedLiteral = { $0 }
    ) -> Int? {
        unsafe words.withUnsafeMutableBytes {
            unsafe EncodingCheck.check($0, relocatingBy: relocate)?.byteCount
        }
    }

    /// What a formatter makes of words that were checked.
    private static func text(of words: [UInt64], by formatter: some Formatter) -> String {
        unsafe words.withUnsafeBytes { bytes in
            var content = RecordContent()
            unsafe RecordDecoder.decode(
                bytes.baseAddress.unsafelyUnwrapped,
                policy: .redact,
                into: &content
            )
            let header = unsafe RecordHeader(category: cwinnow_category_default(), level: .notice)
            return Record.withRecord(header: header, content: content) {
                $0.formatted(by: formatter)
            }
        }
    }

    @Test(arguments: messages.indices)
    func `a sound one is left as it is`(index: Int) {
        let (message, fields) = Self.messages[index]
        let words = Self.encode(message, fields)
        var checked = words
        #expect(Self.check(&checked) == words.count * 8)
        #expect(checked == words)
    }

    @Test func `its literals are given other addresses`() {
        var words = Self.encode("from \("a") to \(2, as: "port")", [])
        let other: StaticString = "other"
        #expect(Self.check(&words) { _ in EncodedLiteral(other) } != nil)
        let text = Self.text(of: words, by: LogfmtFormatter())
        #expect(text.contains("msg=\"otheraother2"))
        #expect(text.contains("other=2"))
    }

    @Test(arguments: messages.indices)
    func `one that ends early is damaged`(index: Int) {
        let (message, fields) = Self.messages[index]
        let words = Self.encode(message, fields)
        for count in 0..<words.count {
            var part = Array(words.prefix(count))
            #expect(Self.check(&part) == nil)
        }
    }

    @Test func `what a decoder would believe is refused`() {
        let options: [UInt64] = [
            // A radix of 0 and of 1, a letter that printf(3) writes by, another format, too many columns.
            1 &<< 24, 1 &<< 24 | 1 &<< 32, 2 &<< 24 | UInt64(UInt8(ascii: "n")) &<< 32, 9 &<< 24,
            0x3FFF &<< 10,
        ]
        for word in options {
            var words = [EncodedKind.options | EncodedKind.integer &<< 4, word, 5]
            #expect(Self.check(&words) == nil)
        }
        // Digits beyond 255 and 64.
        for word in [1 &<< 24 | 10 &<< 32 | 256 &<< 48, 2 &<< 24 | 0x66 &<< 32 | 65 &<< 48]
            as [UInt64]
        {
            var words = [EncodedKind.options | EncodedKind.integer &<< 4, word, 5]
            #expect(Self.check(&words) == nil)
        }
        var special = [EncodedKind.special, 99]
        #expect(Self.check(&special) == nil)
        var gap = [EncodedKind.integer &<< 4, 1]
        #expect(Self.check(&gap) == nil)
        // Sixteen values that are absent, in a word whose last kind is for one more word.
        var full: [UInt64] = [0x8888_8888_8888_8888]
        #expect(Self.check(&full) == nil)
        var almost: [UInt64] = [0x0888_8888_8888_8888]
        #expect(Self.check(&almost) == 8)
    }

    @Test(
        arguments: [
            ([0x61, 0xFF, 0x62], "a?b"), ([0xC3], "?"), ([0xC3, 0xA9], "é"),
            ([0xED, 0xA0, 0x80], "???"),
            ([0xF0, 0x9F, 0xA6, 0x80], "🦀"), ([0xF0, 0x9F, 0xA6], "???"),
            ([0xF4, 0x90, 0x80, 0x80], "????"),
            ([0xE0, 0x80, 0x80], "???"), ([0xC0, 0x80], "??"),
        ] as [([UInt8], String)]
    )
    func `a text is UTF-8 then`(bytes: [UInt8], expected: String) {
        var words = [EncodedKind.string, UInt64(bytes.count), 0]
        unsafe words.withUnsafeMutableBytes { unsafe $0[16...].copyBytes(from: bytes) }
        #expect(Self.check(&words) == 24)
        #expect(Self.text(of: words, by: TextFormatter()).hasSuffix(" \(expected)\n"))
    }

    @Test(arguments: [
        ("[1,2.5e-3,\"x\\u00e9\\n\",{\"a\":null,\"b\":[true,false]},[],{}]", true), ("-0.5", true),
        ("", false),
        ("[1,2", false), ("[1,]", false), ("{\"a\"}", false), ("01", false), ("\"\\x\"", false),
        ("nul", false), ("1 ", false), ("\"\u{1}\"", false),
        (String(repeating: "[", count: 10_000), false),
    ])
    func `what is no JSON becomes a text`(json: String, isJSON: Bool) {
        var words = [EncodedKind.ownField | EncodedKind.json &<< 4, 1, UInt64(UInt8(ascii: "k"))]
        let text = Array(json.utf8) + [UInt8](repeating: 0, count: (8 - json.utf8.count % 8) % 8)
        words.append(UInt64(json.utf8.count))
        for start in stride(from: 0, to: text.count, by: 8) {
            words.append(text[start..<start + 8].reversed().reduce(0) { $0 &<< 8 | UInt64($1) })
        }
        #expect(Self.check(&words) == words.count * 8)
        #expect(words[0] &>> 4 == (isJSON ? EncodedKind.json : EncodedKind.string))
    }

    @Test func `a few bytes stand for no more than a message has`() {
        let long: StaticString = "a literal of forty bytes, a literal of f"
        let unit = EncodedKind.literal * 0x111_1111_1111_1111
        for (count, isSound) in [(100, true), (2_000, false)] {
            let part = [unit | EncodedKind.more &<< 60] + [UInt64](repeating: 1, count: 15)
            var words = (0..<count).flatMap { _ -> [UInt64] in part }
            words.append(0)
            #expect((Self.check(&words) { _ in EncodedLiteral(long) } != nil) == isSound)
        }
        // Names, which are compared with one another.
        for (count, isSound) in [(500, true), (1_000, false)] {
            let kinds = EncodedKind.field | EncodedKind.null &<< 4
            let tags = kinds * 0x0101_0101_0101 | EncodedKind.more &<< 48
            let part = [tags] + [UInt64](repeating: 1, count: 6)
            var words = (0..<count).flatMap { _ -> [UInt64] in part }
            words.append(0)
            #expect((Self.check(&words) { _ in EncodedLiteral("n") } != nil) == isSound)
        }
    }

    @Test func `whatever is damaged, what passes can be read`() {
        let known: StaticString = "known"
        let sound = Self.messages.map { Self.encode($0.message, $0.fields) }
        var passedCount = 0
        for seed in 0..<UInt64(20_000) {
            var random = SeededRandom(seed: seed)
            var words = sound[Int.random(in: sound.indices, using: &random)]
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: words.indices, using: &random)
                let bits = UInt64.random(in: 0...(.max), using: &random)
                words[place] = Bool.random(using: &random) ? bits : words[place] ^ 1 &<< (bits % 64)
            }
            guard let count = Self.check(&words, { _ in EncodedLiteral(known) }) else { continue }
            #expect(count <= words.count * 8)
            passedCount += 1
            let line = Self.text(of: words, by: JSONFormatter())
            #expect(line.hasSuffix("}\n") && line.count { $0.isNewline } == 1)
        }
        #expect(passedCount > 1_000)
    }
}
