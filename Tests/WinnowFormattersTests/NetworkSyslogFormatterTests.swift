// SPDX-License-Identifier: Apache-2.0

import Testing
import WinnowCore
import WinnowFormatters
import WinnowNetwork
import WinnowTesting

struct NetworkSyslogFormatterTests {
    private let header = "<13>1 2026-11-21T09:30:15.123456Z h a 10 - "
    private let known = #"[origin software="a"][timeQuality tzKnown="1" isSynced="1"]"#
    private let own =
        #"[winnow@32473 sequence="1" level_sequence="1" run="9f3c01aa" thread="12""#
        + #" file="TestModule/Test.swift" line="42" function="test()" module="TestModule"]"#

    private func formatter(
        _ identifier: String = "a",
        facility: Facility = .user,
        byteCount: Int = 8_192
    ) -> NetworkSyslogFormatter {
        NetworkSyslogFormatter(
            identifier: identifier,
            facility: facility,
            byteCount: byteCount,
            host: "h",
            isSynchronized: true
        )
    }

    /// The elements of the fields, and what follows them.
    private func rest(_ message: String?) -> Substring? {
        let start = header + known + own
        guard let message, message.hasPrefix(start) else { return nil }
        return message.dropFirst(start.count)
    }

    @Test func `a message is as RFC 5424 has it`() {
        let message = withRecord(
            "listening on host:\(80, as: "port")",
            category: "net.http",
            fields: ["path": "a b", "ratio": 0.5, "ok": true],
            sequence: 812,
            levelSequence: 3
        ) { record in
            var buffer = ByteBuffer()
            let formatter = NetworkSyslogFormatter(
                identifier: "myapp",
                facility: .daemon,
                enterprise: 4_711,
                version: #"1.2 "beta"#,
                host: "web-1.example.org",
                isSynchronized: false
            )
            formatter.format(record, sequenceID: 7, into: &buffer)
            return String(decoding: contents(of: buffer), as: UTF8.self)
        }
        #expect(
            message == "<29>1 2026-11-21T09:30:15.123456Z web-1.example.org myapp 10 net.http "
                + #"[meta sequenceId="7"][origin software="myapp" swVersion="1.2 \"beta"]"#
                + #"[timeQuality tzKnown="1" isSynced="0"]"#
                + #"[winnow@4711 sequence="812" level_sequence="3" run="9f3c01aa" thread="12""#
                + #" category="net.http" file="TestModule/Test.swift" line="42""#
                + #" function="test()" module="TestModule"]"#
                + #"[fields@4711 port="80" path="a b" ratio="0.5" ok="true"] listening on host:80"#
        )
    }

    @Test func `without fields there is no element for them, and without a text no space`() {
        #expect(withRecord("") { text(of: $0, by: formatter()) } == header + known + own)
        #expect(
            withRecord("x") { text(of: $0, by: formatter()) } == header + known + own + " x"
        )
    }

    @Test(
        arguments: [
            (.kernel, .emergency, "<0>1 "), (.mail, .error, "<19>1 "), (.local7, .debug, "<191>1 "),
        ] as [(Facility, Level, String)]
    )
    func `the priority is facility and level`(facility: Facility, level: Level, prefix: String) {
        let message = withRecord("m", level: level) {
            text(of: $0, by: formatter(facility: facility))
        }
        #expect(message?.hasPrefix(prefix) == true)
    }

    @Test(
        arguments: [
            ("my-app_2.0", "my-app_2.0"), ("", "-"), ("a b/c:d[1]", "a_b_c_d_1_"),
            ("größe", "gr__e"), ("x\n<0>", "x__0_"),
            (String(repeating: "x", count: 60), String(repeating: "x", count: 48)),
        ])
    func `the name of the program is cleaned and cut`(identifier: String, name: String) {
        let message = withRecord("m") { text(of: $0, by: formatter(identifier)) }
        #expect(message?.split(separator: " ")[3] == Substring(name))
    }

    @Test(
        arguments: [
            ("", "-"), ("net.http", "net.http"), ("a b\n", "a_b_"), ("größe", "gr__e"),
            (String(repeating: "c", count: 40), String(repeating: "c", count: 32)),
        ])
    func `the type of the message is the category`(category: String, type: String) {
        let message = withRecord("m", category: category) { text(of: $0, by: formatter()) }
        #expect(message?.split(separator: " ")[5] == Substring(type))
    }

    @Test func `the type of the message is its ID, where it has one`() {
        let id = "0123456789abcdef0123456789abcdef"
        let message = withRecord("m", category: "net", fields: ["message_id": id]) {
            text(of: $0, by: formatter())
        }
        #expect(message?.split(separator: " ")[5] == Substring(id))
    }

    @Test(
        arguments: [
            (#"a"b\c]d"#, #"a\"b\\c\]d"#), ("a\nb", #"a\\nb"#), ("\u{1B}[0m", #"\\u{1b}[0m"#),
            ("", ""), ("größe", "größe"), ("\u{202E}x", #"\\u{202e}x"#), ("a=b c", "a=b c"),
            (#"x"][forged@1 y="z"#, #"x\"\][forged@1 y=\"z"#),
        ])
    func `a value is escaped, and harmless`(value: String, escaped: String) {
        let message = withRecord("m", fields: ["k": value]) {
            text(of: $0, by: formatter())
        }
        #expect(rest(message) == "[fields@32473 k=\"\(escaped)\"] m")
    }

    @Test func `a value that is not UTF-8 stays visible`() {
        let message = withRecord(
            messageBytes: Array("m".utf8),
            fields: [(Array("k".utf8), [0x61, 0xFF])]
        ) { text(of: $0, by: formatter()) }
        #expect(message?.hasSuffix(#"[fields@32473 k="a\\xff"] m"#) == true)
    }

    @Test(
        arguments: [
            ("request.id", "request.id"), ("a=b]c\"d e", "a_b_c_d_e"), ("größe", "gr__e"),
            ("", "_"), ("x\n", "x_"),
            (String(repeating: "n", count: 40), String(repeating: "n", count: 32)),
        ])
    func `a name is made legal`(name: String, legal: String) {
        let message = withRecord(
            messageBytes: Array("m".utf8),
            fields: [(Array(name.utf8), Array("v".utf8))]
        ) { text(of: $0, by: formatter()) }
        #expect(message?.hasSuffix("[fields@32473 \(legal)=\"v\"] m") == true)
    }

    @Test func `names that become the same are told apart`() {
        let long = String(repeating: "n", count: 40)
        let names = ["a b", "a=b", "a_b_2", "A]b", long, long]
        let message = withRecord(
            messageBytes: Array("m".utf8),
            fields: names.map { (Array($0.utf8), Array("v".utf8)) }
        ) { text(of: $0, by: formatter()) }
        let cut = String(repeating: "n", count: 32)
        #expect(
            message?.hasSuffix(
                #"[fields@32473 a_b="v" a_b_2="v" a_b_2_2="v" A_b_3="v" "#
                    + "\(cut)=\"v\" \(cut.dropLast(2))_2=\"v\"] m"
            ) == true
        )
    }

    @Test func `nothing in a message ends it`() {
        let message = withRecord(
            messageBytes: Array("x\n<0>forged\0\t\u{1B}[0m\u{202E}".utf8) + [0x9F]
        ) { text(of: $0, by: formatter()) }
        #expect(message?.hasSuffix(#"] x\n<0>forged\u{0}\t\u{1b}[0m\u{202e}\x9f"#) == true)
    }

    @Test func `a text that is too long is cut between characters, and says so`() {
        let message = withRecord(LogMessage(verbatim: String(repeating: "ü", count: 4_000))) {
            bytes(of: $0, by: formatter(byteCount: 1_024))
        }
        let text = String(validating: message, as: UTF8.self)
        #expect(text?.contains(#/\] ü+… \[\d+ bytes cut\] …ü+$/#) == true)
        #expect(1_000...1_024 ~= message.count)
    }

    @Test func `fields that are too long are cut, and none is left out`() {
        let long = "<" + String(repeating: "]", count: 1_000) + ">"
        let message = withRecord(
            "text",
            fields: ["a": long, "b": 1, "c": long, "d": 2]
        ) { text(of: $0, by: formatter(byteCount: 1_024)) }
        let cut = #"<(?:\\\])+… \[\d+ bytes cut\\\] …(?:\\\])+>"#
        let pattern = #"\[fields@32473 a="\#(cut)" b="1" c="\#(cut)" d="2"\] text"#
        #expect(throws: Never.self) {
            try #require(rest(message)?.wholeMatch(of: Regex(pattern)) != nil, "\(message ?? "")")
        }
    }

    @Test func `a bound too small for a header is not taken`() {
        #expect(formatter(byteCount: 10).byteCount == 1_024)
        #expect(formatter(byteCount: .max).byteCount == 131_072)
    }
}
