// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// A record that a check writes: its message holds two marks, by which it is found again.
///
/// The marks are letters and digits, which no formatter changes.
struct ConformanceSample {
    /// Counts the records of a check, from 1.
    let number: Int
    let level: Level
    let message: [UInt8]
    let fields: [(name: [UInt8], value: [UInt8])]
    /// What the record is a sample of, for a message about a failure.
    let name: String
    /// Whether the message holds the marks; one that is empty does not.
    let isMarked: Bool

    /// Creates a sample with the hostile text before, between and behind its marks.
    init(
        number: Int,
        run: String,
        name: String,
        text: [UInt8],
        isOutside: Bool = false,
        fields: [(name: [UInt8], value: [UInt8])] = []
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

    /// Names and values that could end a field, a line or a record.
    static let fields: [(name: String, value: String)] = [
        ("", "an empty name"), ("a b", "a space"), ("a=b", "an equals sign"),
        ("a\nb", "a line feed"), ("a\"b", "a quote"), ("größe", "letters"), ("_PID", "1"),
        ("MESSAGE", "forged"), ("message", "forged"), ("PRIORITY", "0"), ("level", "emergency"),
        ("\u{1B}[31m", "an escape sequence"), ("same", "1"), ("same", "2"), ("SAME", "3"),
        ("9lives", "a digit"), (String(repeating: "n", count: 300), "a long name"),
        ("value", "\n<0>forged"), ("value2", "x\nPRIORITY=0\n\nMESSAGE=forged\n"),
        ("value3", "\u{1B}[2J\u{0}\u{202E}"), ("value4", ""),
    ]
}
