// SPDX-License-Identifier: Apache-2.0

import Testing
import WinnowCore
import WinnowSinks
import WinnowTesting

/// Encodes a record; returns the bytes of its entry.
private func encode(
    _ message: LogMessage,
    level: Level = .notice,
    category: String = "",
    fields: Fields = [:],
    sequence: UInt64 = 1
) -> [UInt8] {
    var buffer = ByteBuffer()
    var encoder = JournalEncoder(identifier: "app", facility: .daemon)
    withRecord(
        message,
        level: level,
        category: category,
        fields: fields,
        sequence: sequence
    ) { record in
        encoder.encode(record, into: &buffer)
    }
    return buffer.withBytes { bytes in bytes.indices.map { bytes[$0] } }
}

/// Encodes fields of these names; returns the names in the entry that follow the fixed ones.
private func fieldNames(_ names: [String], sequence: UInt64 = 1) -> [String] {
    let fields = Fields(names.map { Field($0, .integer(1)) })
    let entry = JournalEntry(encode("m", fields: fields, sequence: sequence))
    return Array(entry.names.drop { $0 != "WINNOW_TIMESTAMP" }.dropFirst())
}

struct JournalEncoderTests {
    @Test func `a structure is its JSON text`() {
        let entry = encode("m", fields: ["list": [1, 2], "map": ["a": "\n"]])
        let text = String(decoding: entry, as: UTF8.self)
        #expect(text.hasSuffix("\nLIST=[1,2]\nMAP={\"a\":\"\\n\"}\n"))
    }

    @Test func `an entry is these bytes`() {
        let entry = encode("hello", level: .error, category: "net", fields: ["port": 80])
        let expected = """
            MESSAGE=hello
            PRIORITY=3
            SYSLOG_IDENTIFIER=app
            SYSLOG_FACILITY=3
            TID=12
            CODE_FILE=TestModule/Test.swift
            CODE_LINE=42
            CODE_FUNC=test()
            CODE_MODULE=TestModule
            CATEGORY=net
            WINNOW_RUN=9f3c01aa
            WINNOW_SEQUENCE=1
            WINNOW_LEVEL_SEQUENCE=1
            WINNOW_TIMESTAMP=1795253415123456
            PORT=80

            """
        #expect(String(decoding: entry, as: UTF8.self) == expected)
    }

    @Test func `a value with a line break has its length in front`() {
        let entry = encode("x\nPRIORITY=0")
        let expected =
            Array("MESSAGE\n".utf8) + [12, 0, 0, 0, 0, 0, 0, 0]
            + Array("x\nPRIORITY=0\nPRIORITY=5\n".utf8)
        #expect(Array(entry.prefix(expected.count)) == expected)
    }

    @Test func `what is empty or unknown is left out, but for the message`() {
        var buffer = ByteBuffer()
        var encoder = JournalEncoder(identifier: "app", facility: .user)
        let nowhere = SourceLocation(fileID: "", function: "", line: 0)
        withRecord("", location: nowhere) { encoder.encode($0, into: &buffer) }
        let entry = JournalEntry(buffer.withBytes { bytes in bytes.indices.map { bytes[$0] } })
        #expect(
            entry.names == [
                "MESSAGE", "PRIORITY", "SYSLOG_IDENTIFIER", "SYSLOG_FACILITY", "TID",
                "WINNOW_RUN", "WINNOW_SEQUENCE", "WINNOW_LEVEL_SEQUENCE", "WINNOW_TIMESTAMP",
            ]
        )
        #expect(entry["MESSAGE"] == "")
    }

    @Test(arguments: zip(Level.allCases, ["0", "1", "2", "3", "4", "5", "6", "7"]))
    func `the priority is one digit`(level: Level, digit: String) {
        #expect(JournalEntry(encode("m", level: level))["PRIORITY"] == digit)
    }

    @Test(arguments: [
        ("tab\tand\nline", "tab\tand\nline"), ("nul\u{0}", "nul\\u{0}"),
        ("\u{1B}[31m", "\\u{1b}[31m"), ("\u{7F}\u{9B}", "\\u{7f}\\u{9b}"), ("a\r\n", "a\\r\n"),
        ("\u{202E}\u{2028}", "\\u{202e}\\u{2028}"), ("größe €😀", "größe €😀"), ("\\", "\\"),
    ])
    func `control characters are made visible`(text: String, expected: String) {
        let entry = JournalEntry(
            encode(LogMessage(verbatim: text), fields: ["f": FieldValue.string(text)])
        )
        #expect(entry["MESSAGE"] == expected)
        #expect(entry["F"] == expected)
    }

    @Test(
        arguments: [
            ([0xFF], "\\xff"), ([0x61, 0xC3], "a\\xc3"), ([0xC0, 0x80], "\\xc0\\x80"),
            ([0xED, 0xA0, 0x80], "\\xed\\xa0\\x80"), ([0xE2, 0x82, 0x61], "\\xe2\\x82a"),
            ([0xF4, 0x90, 0x80, 0x80], "\\xf4\\x90\\x80\\x80"),
        ] as [([UInt8], String)]
    )
    func `bytes that are not UTF-8 are made visible`(bytes: [UInt8], expected: String) {
        var buffer = ByteBuffer()
        unsafe bytes.withUnsafeBytes {
            unsafe buffer.appendHarmless($0, keepingLineBreaks: true)
        }
        let text = buffer.withBytes { span in span.indices.map { span[$0] } }
        #expect(String(decoding: text, as: UTF8.self) == expected)
    }

    @Test func `values keep the text of their type`() {
        let entry = JournalEntry(
            encode(
                "m",
                fields: [
                    "integer": -3, "unsigned": FieldValue.unsigned(.max), "double": 0.1,
                    "bool": true,
                    "null": nil, "text": "a=b", "lines": "a\nPRIORITY=0\n",
                ]
            )
        )
        #expect(entry["INTEGER"] == "-3")
        #expect(entry["UNSIGNED"] == "18446744073709551615")
        #expect(entry["DOUBLE"] == "0.1")
        #expect(entry["BOOL"] == "true")
        #expect(entry["NULL"] == "nil")
        #expect(entry["TEXT"] == "a=b")
        #expect(entry["LINES"] == "a\nPRIORITY=0\n")
        #expect(entry["PRIORITY"] == "5")
    }

    @Test func `a value in the message is a field as well, and a private one is masked`() {
        let entry = JournalEntry(
            encode("port \(80, as: "port") of \("secret", as: "user", privacy: .private)")
        )
        #expect(entry["PORT"] == "80")
        #expect(entry["USER"] == "<private>")
        #expect(entry["MESSAGE"] == "port 80 of <private>")
    }
}

struct JournalFieldTests {
    private static let letters = String(repeating: "A", count: 64)

    @Test(arguments: [
        ("port", "PORT"), ("request.id", "REQUEST_ID"), ("request-id", "REQUEST_ID"),
        ("X9_y", "X9_Y"), ("9lives", "F_9LIVES"), ("_pid", "F_PID"), ("__x", "F__X"),
        ("größe", "GR__E"), ("€", "F_"), ("a b=c\n", "A_B_C_"), ("", "UNNAMED"),
        (String(repeating: "a", count: 64), letters), (String(repeating: "a", count: 65), letters),
        ("1" + String(repeating: "a", count: 80), "F_1" + letters.prefix(61)),
    ])
    func `a name is made legal`(name: String, expected: String) {
        #expect(fieldNames([name]) == [expected])
    }

    @Test func `names that are the same once legal are numbered`() {
        #expect(fieldNames(["a.b", "a-b", "A_B"]) == ["A_B", "A_B_2", "A_B_3"])
        #expect(fieldNames(["x_2", "x", "x"]) == ["X_2", "X", "X_3"])
        #expect(fieldNames(["x", "x", "x_2"]) == ["X", "X_2", "X_2_2"])
    }

    @Test func `names that are numbered already cost little more than others`() {
        let numbered = (2..<502).map { "a_\($0)" }
        let names = numbered + Array(repeating: "a", count: 500)
        let clock = ContinuousClock()
        let others = clock.measure { _ = fieldNames((0..<1_000).map { "b\($0)" }) }
        let time = clock.measure {
            let expected = (502..<1_001).map { "A_\($0)" }
            #expect(
                fieldNames(names) == numbered.map { $0.uppercased() } + ["A"] + expected
            )
        }
        // As many steps for each name as there are names were several hundred times as much.
        #expect(time < others * 20)
    }

    @Test func `a number replaces the end of a name of 64 bytes`() {
        let long = String(repeating: "a", count: 70)
        #expect(fieldNames([long, long]) == [Self.letters, Self.letters.prefix(62) + "_2"])
    }

    @Test(arguments: [
        "message", "priority", "syslog_identifier", "syslog.facility", "Syslog_Pid",
        "syslog_timestamp", "syslog_raw", "tid", "code_file", "code_line", "code_func",
        "code_module", "category", "object_pid", "winnow_sequence", "winnow_timestamp",
        "winnow_run", "winnow_level_sequence",
        "winnow_anything", "winnow_more_fields",
    ])
    func `a name that a field must not forge is numbered`(name: String) {
        let legal = name.uppercased().replacing(".", with: "_")
        #expect(fieldNames([name, name]) == [legal + "_2", legal + "_3"])
    }

    @Test(arguments: ["errno", "message_id", "error", "documentation", "unit", "user_unit"])
    func `a name that journald knows and a field may have passes`(name: String) {
        #expect(fieldNames([name]) == [name.uppercased()])
    }

    @Test func `a report of our own has names of our own`() {
        #expect(fieldNames(["winnow_lost"], sequence: 0) == ["WINNOW_LOST"])
        #expect(fieldNames(["winnow_sequence"], sequence: 0) == ["WINNOW_SEQUENCE_2"])
    }

    @Test func `fields beyond the first 1000 stand in one field, a line each`() {
        let fields = Fields((0..<2_000).map { Field("same", .string("v\n\($0)")) })
        let entry = JournalEntry(encode("m", fields: fields))
        #expect(entry.fields.count == 13 + 1_000 + 1)
        #expect(Set(entry.names).count == entry.names.count)
        #expect(entry["SAME_1000"] == "v\n999")
        let more = entry["WINNOW_MORE_FIELDS"] ?? ""
        #expect(more.hasPrefix("SAME=v\\n1000\nSAME=v\\n1001\n"))
        #expect(more.split(separator: "\n").count == 1_000)
        #expect(more.hasSuffix("SAME=v\\n1999"))
    }
}
