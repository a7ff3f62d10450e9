// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// A record that a check writes: its message holds two marks, by which it is found again.
///
/// The marks are letters and digits, which no formatter changes.
struct ConformanceSample {
    /// The value of a field.
    enum Value {
        case text([UInt8])
        /// A text that the record has made of a value, and holds in a place of its own.
        case rendered([UInt8])
        case integer(Int64)
        case unsigned(UInt64)
        case double(Double)
        case bool(Bool)
        case null
    }

    /// A field: a name and a value.
    typealias Field = (name: [UInt8], value: Value)

    /// Counts the records of a check, from 1.
    let number: Int
    let level: Level
    let message: [UInt8]
    let fields: [Field]
    /// What the record is a sample of, for a message about a failure.
    let name: String
    /// Whether the message holds the marks; one that is empty does not.
    let isMarked: Bool
    var category = Array("conformance".utf8)
    /// The file that the call is said to stand in, behind the module's name and a slash; empty for
    /// an unknown one.
    var file: [UInt8] = []
    /// The function that the call is said to stand in.
    var function: [UInt8] = []

    /// Creates a sample with the hostile text before, between and behind its marks.
    init(
        number: Int,
        run: String,
        name: String,
        text: [UInt8],
        isOutside: Bool = false,
        fields: [Field] = []
    ) {
        self.number = number
        level = Level.allCases[number % Level.allCases.count]
        self.name = name
        self.fields = fields
        isMarked = true
        let outside = isOutside ? text : []
        let begin = Array("\(run)b\(number)x".utf8)
        let end = Array("\(run)e\(number)x".utf8)
        message = outside + begin + text + end + outside
    }

    /// Says that the call stands in a module, a file and a function of the hostile name.
    mutating func setPlace(_ text: [UInt8]) {
        file = text + [UInt8(ascii: "/")] + text
        function = text
    }

    /// Creates the sample of a record without a message.
    init(emptyWithNumber number: Int) {
        self.number = number
        level = .notice
        name = "an empty message"
        fields = []
        isMarked = false
        message = []
    }
}

/// Texts that could end a record, begin another, or lead a reader astray.
enum HostileText {
    /// The texts, and what each is.
    static let messages: [(name: String, text: [UInt8])] =
        [
            ("a line feed", "\n"), ("a carriage return", "\r"), ("both", "\r\n"), ("NUL", "\u{0}"),
            ("an escape sequence", "\u{1B}[2J"), ("a forged priority", "\n<0>forged"),
            ("a forged field", "\nPRIORITY=0\n\nMESSAGE=forged\n"), ("DEL", "\u{7F}"),
            ("a backspace", "\u{8}"), ("a C1 control", "\u{9B}31m"), ("a next line", "\u{85}"),
            ("a line separator", "\u{2028}"), ("a paragraph separator", "\u{2029}"),
            ("a bidirectional override", "\u{202E}"), ("a bidirectional isolate", "\u{2066}"),
            ("quotes", "\"}\n,{\""), ("backslashes", "\\\\n\\"), ("conversions", "%s%n%1$s"),
            ("spaces", "   "), ("letters", "größe 日本 👩‍👩‍👧"),
        ].map { ($0, Array($1.utf8)) } + [
            ("a byte that is not UTF-8", [0xFF]), ("half a character", [0xE2, 0x82]),
            ("an overlong line feed", [0xC0, 0x8A]), ("a surrogate", [0xED, 0xA0, 0x80]),
        ]

    /// Fields whose names and values could end a field, a line or a record.
    static let fields: [ConformanceSample.Field] =
        texts.map { (Array($0.name.utf8), .text(Array($0.value.utf8))) } + values
        + messages.map { (Array("rendered".utf8), .rendered($0.text)) }

    /// Values that are no texts, each at an end of what it can be.
    private static let values: [ConformanceSample.Field] =
        [
            ("integer", .integer(.min)), ("integer", .integer(.max)), ("unsigned", .unsigned(.max)),
            ("double", .double(.nan)), ("double", .double(.infinity)),
            ("double", .double(-.infinity)), ("double", .double(-0.0)),
            ("double", .double(.greatestFiniteMagnitude)),
            ("double", .double(.leastNonzeroMagnitude)), ("bool", .bool(true)),
            ("bool", .bool(false)), ("null", .null), ("\n", .null), ("", .integer(0)),
        ].map { (Array($0.utf8), $1) }

    private static let texts: [(name: String, value: String)] = [
        ("", "an empty name"), ("a b", "a space"), ("a=b", "an equals sign"),
        ("a\nb", "a line feed"), ("a\"b", "a quote"), ("größe", "letters"), ("_PID", "1"),
        ("MESSAGE", "forged"), ("message", "forged"), ("PRIORITY", "0"), ("level", "emergency"),
        ("\u{1B}[31m", "an escape sequence"), ("same", "1"), ("same", "2"), ("SAME", "3"),
        ("9lives", "a digit"), (String(repeating: "n", count: 300), "a long name"),
        ("value", "\n<0>forged"), ("value2", "x\nPRIORITY=0\n\nMESSAGE=forged\n"),
        ("value3", "\u{1B}[2J\u{0}\u{202E}"), ("value4", ""),
    ]
}
