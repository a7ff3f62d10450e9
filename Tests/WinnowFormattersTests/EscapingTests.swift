// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WinnowCore
import WinnowFormatters
import WinnowTesting

/// One input and what each way of escaping makes of it.
struct EscapingCase: Sendable {
    let input: [UInt8]
    let line: String
    let quotes: String
    let json: String
    let name: String

    init(_ input: [UInt8], line: String, quotes: String, json: String, name: String) {
        self.input = input
        self.line = line
        self.quotes = quotes
        self.json = json
        self.name = name
    }

    init(_ input: String, line: String, quotes: String, json: String, name: String) {
        self.init(Array(input.utf8), line: line, quotes: quotes, json: json, name: name)
    }
}

private let controlCases = [
    EscapingCase("a\nb", line: #"a\nb"#, quotes: #"a\nb"#, json: #"a\nb"#, name: "a_b"),
    EscapingCase("a\rb", line: #"a\rb"#, quotes: #"a\rb"#, json: #"a\rb"#, name: "a_b"),
    EscapingCase("a\tb", line: #"a\tb"#, quotes: #"a\tb"#, json: #"a\tb"#, name: "a_b"),
    EscapingCase("a\0b", line: #"a\u{0}b"#, quotes: #"a\u{0}b"#, json: #"a\u0000b"#, name: "a_b"),
    EscapingCase(
        "\u{1B}[31m",
        line: #"\u{1b}[31m"#,
        quotes: #"\u{1b}[31m"#,
        json: #"\u001b[31m"#,
        name: "_[31m"
    ),
    EscapingCase(
        "\u{7F}",
        line: #"\u{7f}"#,
        quotes: #"\u{7f}"#,
        json: #"\u007f"#,
        name: "_"
    ),
    EscapingCase(
        "\u{80}\u{9F}",
        line: #"\u{80}\u{9f}"#,
        quotes: #"\u{80}\u{9f}"#,
        json: #"\u0080\u009f"#,
        name: "__"
    ),
    EscapingCase(
        "\u{2028}\u{2029}",
        line: #"\u{2028}\u{2029}"#,
        quotes: #"\u{2028}\u{2029}"#,
        json: #"\u2028\u2029"#,
        name: "__"
    ),
    EscapingCase(
        "x\u{202E}y\u{2066}",
        line: #"x\u{202e}y\u{2066}"#,
        quotes: #"x\u{202e}y\u{2066}"#,
        json: #"x\u202ey\u2066"#,
        name: "x_y_"
    ),
    EscapingCase(
        "\u{61C}\u{200E}\u{200F}",
        line: #"\u{61c}\u{200e}\u{200f}"#,
        quotes: #"\u{61c}\u{200e}\u{200f}"#,
        json: #"\u061c\u200e\u200f"#,
        name: "___"
    ),
]

private let printableCases = [
    EscapingCase("", line: "", quotes: "", json: "", name: ""),
    EscapingCase("plain", line: "plain", quotes: "plain", json: "plain", name: "plain"),
    EscapingCase(
        #"C:\new "x" a=b"#,
        line: #"C:\new "x" a=b"#,
        quotes: #"C:\\new \"x\" a=b"#,
        json: #"C:\\new \"x\" a=b"#,
        name: "C:_new__x__a_b"
    ),
    EscapingCase(
        "größe 日本 👩‍👩‍👧",
        line: "größe 日本 👩‍👩‍👧",
        quotes: "größe 日本 👩‍👩‍👧",
        json: "größe 日本 👩‍👩‍👧",
        name: "größe_日本_👩‍👩‍👧"
    ),
    EscapingCase(
        "\u{A0}\u{10FFFF}\u{FFFD}",
        line: "\u{A0}\u{10FFFF}\u{FFFD}",
        quotes: "\u{A0}\u{10FFFF}\u{FFFD}",
        json: "\u{A0}\u{10FFFF}\u{FFFD}",
        name: "\u{A0}\u{10FFFF}\u{FFFD}"
    ),
]

private let invalidCases = [
    // A continuation byte without a beginning.
    EscapingCase(
        [0x61, 0x80, 0x62],
        line: #"a\x80b"#,
        quotes: #"a\x80b"#,
        json: "a\u{FFFD}b",
        name: "a_b"
    ),
    // An overlong slash, in two and in three bytes.
    EscapingCase(
        [0xC0, 0xAF],
        line: #"\xc0\xaf"#,
        quotes: #"\xc0\xaf"#,
        json: "\u{FFFD}\u{FFFD}",
        name: "__"
    ),
    EscapingCase(
        [0xE0, 0x80, 0xAF],
        line: #"\xe0\x80\xaf"#,
        quotes: #"\xe0\x80\xaf"#,
        json: "\u{FFFD}\u{FFFD}\u{FFFD}",
        name: "___"
    ),
    // A surrogate.
    EscapingCase(
        [0xED, 0xA0, 0x80],
        line: #"\xed\xa0\x80"#,
        quotes: #"\xed\xa0\x80"#,
        json: "\u{FFFD}\u{FFFD}\u{FFFD}",
        name: "___"
    ),
    // U+110000.
    EscapingCase(
        [0xF4, 0x90, 0x80, 0x80],
        line: #"\xf4\x90\x80\x80"#,
        quotes: #"\xf4\x90\x80\x80"#,
        json: "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}",
        name: "____"
    ),
    // A character that the text ends within.
    EscapingCase(
        [0x61, 0xF0, 0x9F, 0x98],
        line: #"a\xf0\x9f\x98"#,
        quotes: #"a\xf0\x9f\x98"#,
        json: "a\u{FFFD}",
        name: "a_"
    ),
    // A character that a line feed interrupts.
    EscapingCase(
        [0xE2, 0x80, 0x0A],
        line: #"\xe2\x80\n"#,
        quotes: #"\xe2\x80\n"#,
        json: "\u{FFFD}\\n",
        name: "__"
    ),
    EscapingCase(
        [0xFF, 0xFE],
        line: #"\xff\xfe"#,
        quotes: #"\xff\xfe"#,
        json: "\u{FFFD}\u{FFFD}",
        name: "__"
    ),
]

struct EscapingTests {
    @Test(arguments: controlCases + printableCases + invalidCases)
    func `each way writes what is harmful in its own notation`(example: EscapingCase) {
        #expect(escape(example.input, .line) == example.line)
        #expect(escape(example.input, .quotes) == example.quotes)
        #expect(escape(example.input, .json) == example.json)
        #expect(escape(example.input, .name) == example.name)
    }

    @Test(arguments: 0..<24)
    func `a harmful byte is found at every place of a long text`(place: Int) {
        let before = String(repeating: "~", count: place)
        let after = String(repeating: " ", count: 23 - place)
        #expect(escape(Array("\(before)\n\(after)".utf8), .line) == "\(before)\\n\(after)")
        #expect(escape(Array("\(before)\u{7F}\(after)".utf8), .line) == "\(before)\\u{7f}\(after)")
        #expect(escape(Array("\(before)\"\(after)".utf8), .quotes) == "\(before)\\\"\(after)")
        #expect(escape(Array("\(before)\\\(after)".utf8), .json) == "\(before)\\\\\(after)")
        #expect(escape(Array("\(before)=x".utf8), .name) == "\(before)_x")
        #expect(escape(Array("\(before)\u{85}\(after)".utf8), .line) == "\(before)\\u{85}\(after)")
    }

    @Test(arguments: [Escaping.line, .quotes, .json, .name])
    func `a short text passes up to what is harmful, wherever that stands`(escaping: Escaping) {
        for count in 0...40 {
            let text = String(repeating: "a", count: count)
            #expect(escape(Array(text.utf8), escaping) == text)
            for place in 0..<count {
                var bytes = Array(text.utf8)
                bytes[place] = 0x07
                let bell = escape([0x07], escaping) ?? ""
                #expect(
                    escape(bytes, escaping)
                        == text.prefix(place) + bell + text.dropFirst(place + 1)
                )
            }
        }
    }

    @Test func `all printable ASCII passes in a line`() {
        let printable = (0x20...0x7E).map { UInt8($0) }
        #expect(
            escape(printable, .line)
                == ##" !"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\]^_`"##
                + "abcdefghijklmnopqrstuvwxyz{|}~"
        )
    }

    @Test func `of all characters exactly the harmful ones are escaped`() {
        let harmful = [
            0x00...0x1F, 0x7F...0x9F, 0x61C...0x61C, 0x200E...0x200F, 0x2028...0x202E,
            0x2066...0x2069,
        ]
        var wrong: [UInt32] = []
        for scalar in (0...0x10FFFF as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init) {
            let input = Array(String(Character(scalar)).utf8)
            let isHarmful = harmful.contains { $0.contains(Int(scalar.value)) }
            if (escapedBytes(input, .line) == input) == isHarmful { wrong.append(scalar.value) }
        }
        #expect(wrong == [])
    }

    @Test func `every beginning of a sequence is judged as Swift judges it`() throws {
        var input: [UInt8] = []
        for lead in 0x80...0xFF as ClosedRange<UInt8> {
            for second in 0x70...0xFF as ClosedRange<UInt8> {
                input += [lead, second, 0x7C, lead, second, 0x80, 0x7C]
                input += [lead, second, 0xBF, 0x80, 0x7C, lead, second, 0x80, 0xC0, 0x7C]
            }
        }
        let json = [0x22] + escapedBytes(input, .json) + [0x22]
        let parsed = try JSONSerialization.jsonObject(with: Data(json), options: .fragmentsAllowed)
        let text = try #require(parsed as? String)
        #expect(Array(text.utf8) == Array(String(decoding: input, as: UTF8.self).utf8))
    }

    @Test func `a text is escaped as its bytes are`() {
        var buffer = ByteBuffer()
        buffer.append("a\nb", escaping: .line)
        buffer.append("é\u{1B}", escaping: .json)
        #expect(contents(of: buffer) == Array(#"a\nbé\u001b"#.utf8))
    }

    @Test func `a formatter of one's own can append a message made harmless`() {
        var buffer = ByteBuffer()
        withRecord("a\nb\"") { $0.appendMessage(to: &buffer, escaping: .quotes) }
        #expect(contents(of: buffer) == Array(#"a\nb\""#.utf8))
    }

    private func escape(_ input: [UInt8], _ escaping: Escaping) -> String? {
        String(validating: escapedBytes(input, escaping), as: UTF8.self)
    }

    private func escapedBytes(_ input: [UInt8], _ escaping: Escaping) -> [UInt8] {
        var buffer = ByteBuffer()
        buffer.append(input.span, escaping: escaping)
        return contents(of: buffer)
    }
}
