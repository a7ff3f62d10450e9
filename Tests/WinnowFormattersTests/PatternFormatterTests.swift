// SPDX-License-Identifier: Apache-2.0

import Testing
import WinnowCore
import WinnowFormatters
import WinnowTesting

/// Returns the line of a pattern for one record of many parts.
private func line(
    _ pattern: String,
    level: Level = .notice,
    category: String = "net",
    identifier: String = "myapp"
) throws -> String? {
    let formatter = try PatternFormatter(pattern, identifier: identifier)
    let fields: Fields = ["backlog": 128, "path": "a b", "none": nil, "backlog": 7, "empty": ""]
    return withRecord(
        "listening on host:\(80, as: "port")",
        level: level,
        category: category,
        fields: fields,
        timestamp: 1_795_253_415_123_456_789,
        sequence: 42,
        levelSequence: 7
    ) { text(of: $0, by: formatter) }
}

struct PatternFormatterTests {
    static let names: [(pattern: String, line: String)] = [
        ("{time}", "2026-11-21T09:30:15.123456Z"),
        ("{level}", "notice"), ("{level:upper}", "NOTICE"), ("{level:number}", "5"),
        ("{level:letter}", "N"), ("{category}", "net"), ("{message}", "listening on host:80"),
        ("{fields}", #"backlog=128 path="a b" none=nil backlog=7 empty="""#),
        ("{fields:all}", #"port=80 backlog=128 path="a b" none=nil backlog=7 empty="""#),
        ("{field:port}", "80"), ("{field:path}", "a b"), ("{field:path:quoted}", #""a b""#),
        ("{field:backlog}", "128"), ("{field:none}", "nil"), ("{field:absent}", ""),
        ("{field:empty}", ""), ("{field:empty:quoted}", #""""#),
        ("{sequence}", "42"), ("{level_sequence}", "7"), ("{thread}", "12"), ("{process}", "10"),
        ("{run}", "9f3c01aa"), ("{identifier}", "myapp"), ("{file}", "TestModule/Test.swift"),
        ("{line}", "42"), ("{function}", "test()"), ("{module}", "TestModule"),
        ("{location}", "TestModule/Test.swift:42"),
        ("{message:quoted}", #""listening on host:80""#),
        ("{message:json}", #""listening on host:80""#), ("{field:port:json}", "80"),
        ("{field:path:json}", #""a b""#), ("{field:none:json}", "null"),
        ("{field:absent:json}", "null"), ("{, field:absent:json}", ""),
        ("{field:empty:json}", #""""#), ("{category:JSON:>7}", #"  "net""#),
        ("{LEVEL:Upper} {Time:SEC}", "NOTICE 1795253415"),
        ("plain", "plain"), ("{{{level}}} }}{{", "{notice} }{"), ("a\t{level}\tb", "a\tnotice\tb"),
        ("größe → {level}", "größe → notice"),
    ]

    @Test(arguments: names)
    func `a name stands for a value, and all else for itself`(
        pattern: String,
        expected: String
    ) throws {
        #expect(try line(pattern) == expected + "\n")
    }

    static let times: [(option: String, text: String)] = [
        ("rfc3339", "2026-11-21T09:30:15.123456Z"), ("rfc3339.0", "2026-11-21T09:30:15Z"),
        ("rfc3339.3", "2026-11-21T09:30:15.123Z"), ("rfc3339.6", "2026-11-21T09:30:15.123456Z"),
        ("rfc3339.9", "2026-11-21T09:30:15.123456789Z"), ("sec", "1795253415"),
        ("raw", "1795253415"), ("sec.1", "1795253415.1"), ("sec.9", "1795253415.123456789"),
        ("utc", "2026-11-21 09:30:15Z"), ("zulu.3", "2026-11-21 09:30:15.123Z"),
    ]

    @Test(arguments: times)
    func `a time has its format and digits`(option: String, text: String) throws {
        #expect(try line("{time:\(option)}") == text + "\n")
    }

    @Test func `local times are those of the system's zone`() async {
        await #expect(processExitsWith: .success) {
            setTimeZone("ABC-05:30")
            let patterns = [
                "{time:rfc3339-local}", "{time:rfc3339-local.0}", "{time:rfc3339-local.3}",
                "{time:lcl}", "{time:local.3}",
            ]
            let lines = try patterns.map { try line($0) }
            #expect(
                lines == [
                    "2026-11-21T15:00:15.123456+05:30\n", "2026-11-21T15:00:15+05:30\n",
                    "2026-11-21T15:00:15.123+05:30\n", "Nov 21 15:00:15\n",
                    "Nov 21 15:00:15.123\n",
                ]
            )
        }
    }

    @Test func `a fraction has zeros in front`() throws {
        let formatter = try PatternFormatter("{time:sec.9} {time:rfc3339.3}")
        let shown = withRecord("", timestamp: 1_000_000_001) { text(of: $0, by: formatter) }
        #expect(shown == "1.000000001 1970-01-01T00:00:01.000Z\n")
    }

    static let widths: [(pattern: String, line: String)] = [
        ("{level:<9}|", "notice   |"), ("{level:>9}|", "   notice|"), ("{level:<3}|", "notice|"),
        ("{level:upper:<9}|", "NOTICE   |"), ("{level:>9:upper}|", "   NOTICE|"),
        ("{level:.3}", "not"), ("{level:<5.3}|", "not  |"),
        ("{message:.11}|", "listening …|"), ("{message:.1}|", "…|"),
        ("{message:.20}|", "listening on host:80|"),
        ("{message:>6.4}|", "  lis…|"), ("{sequence:>6}|", "    42|"),
        ("{category:<12.12}|", "net         |"),
        ("{field:absent:<3}|", "   |"), ("{[category:>5]}|", "[  net]|"),
        ("{message:quoted:.5}|", #""li…"|"#), ("{message:.3:quoted}|", #""…"|"#),
        ("{message:quoted:.22}|", #""listening on host:80"|"#),
        ("{message:quoted:>7.5}|", #"  "li…"|"#), ("{category:quoted:<5.3}|", #""…"  |"#),
        ("{field:port:quoted:.3}|", "80|"), ("{field:path:quoted:.4}|", #""a…"|"#),
        ("{field:empty:quoted:.3}|", #"""|"#),
        ("{fields:.9}|", "backlog=…|"), ("{time:sec:>12}", "  1795253415"),
    ]

    @Test(arguments: widths)
    func `a width fills up and cuts`(pattern: String, expected: String) throws {
        #expect(try line(pattern) == expected + "\n")
    }

    @Test func `a column is a character, and none is cut apart`() throws {
        let formatter = try PatternFormatter("{message:<6.6}|{message:>4}|{message:.3}")
        let shown = withRecord("größe日本") { text(of: $0, by: formatter) }
        #expect(shown == "größe…|größe日本|gr…\n")
        let short = withRecord("日本") { text(of: $0, by: formatter) }
        #expect(short == "日本    |  日本|日本\n")
    }

    static let optionals: [(pattern: String, full: String, empty: String)] = [
        ("{[category] }m", "[net] m", "m"), ("{category:: }m", "net: m", "m"),
        ("{<level:number>}m", "<5>m", "<5>m"), ("m{ (category)}", "m (net)", "m"),
        ("{[category:<5] }m", "[net  ] m", "m"), ("{category:<5}m", "net  m", "     m"),
        ("m{ (field:port)}{, field:nothing}", "m (80)", "m (80)"),
        ("{«category» }m", "«net» m", "m"), ("{category::}m", "net:m", "m"),
        ("{[category:quoted] }m", #"["net"] m"#, "m"),
        ("{[category:json] }m", #"["net"] m"#, "m"), ("{category:json}m", #""net"m"#, #"""m"#),
        ("m{ — field:port:>4:: }|", "m —   80: |", "m —   80: |"),
    ]

    @Test(arguments: optionals)
    func `what surrounds a name is left out with it`(
        pattern: String,
        full: String,
        empty: String
    ) throws {
        #expect(try line(pattern) == full + "\n")
        #expect(try line(pattern, category: "") == empty + "\n")
    }

    @Test func `what is unknown is empty`() throws {
        let formatter = try PatternFormatter(
            "{file}{line}{function}{module}{location}{ (location)}{ fields}{identifier:quoted}|"
        )
        let unknown = SourceLocation(fileID: "", function: "", line: 0)
        let shown = withRecord("m", location: unknown) { text(of: $0, by: formatter) }
        #expect(shown == "|\n")
    }

    @Test(arguments: Level.allCases)
    func `the pattern of text writes what TextFormatter writes`(level: Level) throws {
        let plain = try PatternFormatter(PatternFormatter.textPattern)
        let colored = try PatternFormatter(PatternFormatter.textPattern, color: true)
        let located = try PatternFormatter(PatternFormatter.textPattern + "{ (location)}")
        for category in ["", "net", "a\nb"] {
            for fields: Fields in [[:], ["a": 1, "b": "x y", "c": "\u{1B}", "": 0.5]] {
                withRecord(
                    "x \(7, as: "n")\n\u{202E}\\",
                    level: level,
                    category: category,
                    fields: fields
                ) { record in
                    #expect(bytes(of: record, by: plain) == bytes(of: record, by: TextFormatter()))
                    #expect(
                        bytes(of: record, by: colored)
                            == bytes(of: record, by: TextFormatter(color: true))
                    )
                    #expect(
                        bytes(of: record, by: located)
                            == bytes(of: record, by: TextFormatter(location: true))
                    )
                }
            }
        }
    }

    @Test func `a pattern for local time writes what TextFormatter writes`() throws {
        let pattern = PatternFormatter.textPattern
            .split(separator: "{time}", omittingEmptySubsequences: false)
            .joined(separator: "{time:rfc3339-local}")
        let formatter = try PatternFormatter(pattern)
        withRecord("m", category: "net", fields: ["a": 1]) { record in
            #expect(
                bytes(of: record, by: formatter)
                    == bytes(of: record, by: TextFormatter(time: .local))
            )
        }
    }

    @Test func `color is around the value and not around what fills up`() throws {
        let formatter = try PatternFormatter("{level:upper:>8.3}|{time:sec:<11}|", color: true)
        let shown = withRecord("m", level: .error) { text(of: $0, by: formatter) }
        #expect(shown == "     \u{1B}[31mERR\u{1B}[0m|\u{1B}[2m1795253415\u{1B}[0m |\n")
    }

    @Test func `json makes lines of JSON of texts that hold anything`() throws {
        let formatter = try PatternFormatter(
            #"{{"m":{message:json},"f":{field:f:json},"n":{field:n:json},"c":{category:json}}}"#
        )
        let hostile = "a\"\\\u{1B}\n\u{2028}\u{202E}é"
        let shown = withRecord(
            LogMessage(verbatim: hostile),
            category: "",
            fields: ["f": hostile, "n": Double.nan]
        ) { text(of: $0, by: formatter) }
        let escaped = #"a\"\\\u001b\n\u2028\u202eé"#
        #expect(shown == #"{"m":"\#(escaped)","f":"\#(escaped)","n":"NaN","c":""}"# + "\n")
    }

    @Test func `no text can end a line or begin a command`() throws {
        let hostile = "x\n<0>forged\r\u{1B}[2Jy\u{202E}\u{2028}"
        let formatter = try PatternFormatter(
            "{category}|{message}|{field:f}|{field:f:quoted}|{fields}|{identifier}|{function}",
            identifier: hostile
        )
        let place = SourceLocation(fileID: "M/a\nb", function: "f\u{1B}", line: 1)
        let shown = withRecord(
            LogMessage(verbatim: hostile),
            category: hostile,
            fields: ["f": FieldValue.string(hostile)],
            location: place
        ) { text(of: $0, by: formatter) }
        let clean = #"x\n<0>forged\r\u{1b}[2Jy\u{202e}\u{2028}"#
        #expect(
            shown == "\(clean)|\(clean)|\(clean)|\"\(clean)\"|f=\"\(clean)\"|\(clean)|f\\u{1b}\n"
        )
    }
}
