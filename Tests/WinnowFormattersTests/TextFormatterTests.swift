// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import WinnowCore
import WinnowFormatters
import WinnowTesting

struct TextFormatterTests {
    @Test func `a line has time, level, category, message and the other fields`() {
        let line = withRecord(
            "listening on host:\(80, as: "port")",
            category: "net",
            fields: ["backlog": 128, "path": "a b"]
        ) { text(of: $0, by: TextFormatter()) }
        #expect(
            line == "2026-11-21T09:30:15.123456Z notice  [net] listening on host:80 backlog=128"
                + " path=\"a b\"\n"
        )
    }

    @Test(
        arguments: zip(
            Level.allCases,
            [
                "emergency x\n", "alert   x\n", "critical x\n", "error   x\n", "warning x\n",
                "notice  x\n", "info    x\n", "debug   x\n",
            ]
        )
    )
    func `the level is padded to the width of warning`(level: Level, expected: String) {
        let line = withRecord("x", level: level) {
            text(of: $0, by: TextFormatter(time: .none))
        }
        #expect(line == expected)
    }

    @Test func `values keep their form, and texts are quoted where they must be`() {
        let fields: Fields = [
            "word": "plain", "empty": "", "space": "a b", "quote": #"say "x""#, "equals": "a=b",
            "backslash": #"C:\x"#, "line": "a\nb", "letters": "größe", "int": -7, "double": 0.5,
            "bool": true, "null": nil, "large": FieldValue.unsigned(18_446_744_073_709_551_615),
        ]
        let line = withRecord("m", fields: fields) {
            text(of: $0, by: TextFormatter(time: .none))
        }
        #expect(
            line == #"notice  m word=plain empty="" space="a b" quote="say \"x\"" equals="a=b""#
                + #" backslash="C:\\x" line="a\nb" letters=größe int=-7 double=0.5 bool=true"#
                + " null=nil large=18446744073709551615\n"
        )
    }

    @Test func `a name cannot end itself or the line`() {
        let fields: Fields = ["a b": 1, "c=d": 2, "e\nf": 3, "g\"h": 4, "": 5, "request.id": 6]
        let line = withRecord("m", fields: fields) {
            text(of: $0, by: TextFormatter(time: .none))
        }
        #expect(line == "notice  m a_b=1 c_d=2 e_f=3 g_h=4 _=5 request.id=6\n")
    }

    @Test func `a backslash in the message stays one`() {
        let line = withRecord(#"open C:\new"#) { text(of: $0, by: TextFormatter(time: .none)) }
        #expect(line == "notice  open C:\\new\n")
    }

    @Test func `a message and a category cannot begin a line or a command`() {
        let line = withRecord(
            "x\n<0>forged\r\u{1B}[2Jy\u{202E}",
            category: "a\nb",
            fields: ["f": "x\nPRIORITY=0"]
        ) { text(of: $0, by: TextFormatter(time: .none)) }
        #expect(
            line == #"notice  [a\nb] x\n<0>forged\r\u{1b}[2Jy\u{202e} f="x\nPRIORITY=0""# + "\n"
        )
    }

    @Test func `bytes that are not UTF-8 are shown by their numbers`() {
        let line = withRecord(
            messageBytes: [0x61, 0xFF, 0x00, 0xC3],
            fields: [(Array("f".utf8), [0xC0, 0xAF])]
        ) { text(of: $0, by: TextFormatter(time: .none)) }
        #expect(line == #"notice  a\xff\u{0}\xc3 f="\xc0\xaf""# + "\n")
    }

    @Test func `color marks the level and dims the time and the names`() {
        let line = withRecord("m", level: .error, fields: ["port": 80]) {
            text(of: $0, by: TextFormatter(color: true))
        }
        #expect(
            line == "\u{1B}[2m2026-11-21T09:30:15.123456Z\u{1B}[0m \u{1B}[31merror\u{1B}[0m   m"
                + " \u{1B}[2mport=\u{1B}[0m80\n"
        )
    }

    @Test(
        arguments: zip(
            Level.allCases,
            [
                "\u{1B}[1;31memergency\u{1B}[0m x\n", "\u{1B}[1;31malert\u{1B}[0m   x\n",
                "\u{1B}[1;31mcritical\u{1B}[0m x\n", "\u{1B}[31merror\u{1B}[0m   x\n",
                "\u{1B}[33mwarning\u{1B}[0m x\n", "\u{1B}[1mnotice\u{1B}[0m  x\n",
                "info    x\n", "\u{1B}[2mdebug\u{1B}[0m   x\n",
            ]
        )
    )
    func `each level has its style`(level: Level, expected: String) {
        let line = withRecord("x", level: level) {
            text(of: $0, by: TextFormatter(time: .none, color: true))
        }
        #expect(line == expected)
    }

    @Test(arguments: zip(Level.allCases, ["<0>", "<1>", "<2>", "<3>", "<4>", "<5>", "<6>", "<7>"]))
    func `a level prefix stands in the place of the time`(level: Level, prefix: String) {
        let line = withRecord("<0>x\n<0>y", level: level) {
            text(of: $0, by: TextFormatter(levelPrefix: true))
        }
        #expect(line?.hasPrefix(prefix + level.description) == true)
        #expect(line?.hasSuffix(#" <0>x\n<0>y"# + "\n") == true)
    }

    @Test func `the place in the source is shown where it is asked for`() {
        let formatter = TextFormatter(time: .none, location: true)
        let line = withRecord("m", fields: ["a": 1]) { text(of: $0, by: formatter) }
        #expect(line == "notice  m a=1 (TestModule/Test.swift:42)\n")
        let unknown = SourceLocation(fileID: "", function: "", line: 0)
        let other = withRecord("m", location: unknown) { text(of: $0, by: formatter) }
        #expect(other == "notice  m\n")
    }

    @Test func `local time shows its offset`() async {
        await #expect(processExitsWith: .success) {
            setTimeZone("ABC-01:00")
            let line = withRecord("m") { text(of: $0, by: TextFormatter(time: .local)) }
            #expect(line == "2026-11-21T10:30:15.123456+01:00 notice  m\n")
        }
    }

    @Test func `every physical line for the journal has the level, also of a long record`() {
        let message = LogMessage(verbatim: String(repeating: "é<0>", count: 30_000))
        let stream = withRecord(message, level: .error) {
            text(of: $0, by: TextFormatter(levelPrefix: true))
        }
        let lines = (stream ?? "").split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines.allSatisfy { $0.hasPrefix("<3>") && $0.utf8.count <= 40 * 1_024 + 3 })
        let whole = lines.map { $0.dropFirst(3) }.joined()
        #expect(whole == "error   " + String(repeating: "é<0>", count: 30_000))
    }

    @Test func `a long line for the journal that is not UTF-8 is cut where it must be`() {
        var buffer = ByteBuffer()
        withRecord("m", level: .error) {
            LevelPrefixFormatter(ContinuationBytes()).format($0, into: &buffer)
        }
        let bytes = buffer.withBytes { bytes in bytes.indices.map { bytes[$0] } }
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        #expect(lines.map(\.count) == [40_960, 40_963, 18_086])
        #expect(lines.allSatisfy { $0.starts(with: "<3>".utf8) })
    }

    @Test func `lines of JSON for the journal have the level too`() {
        let stream = withRecord("m", level: .error) {
            text(of: $0, by: LevelPrefixFormatter(JSONFormatter()))
        }
        #expect(stream?.hasPrefix("<3>{\"time\":") == true)
    }

    @Test func `a private value is masked in a field as in the message`() {
        let line = withRecord("for \("eve", as: "user", privacy: .private)") {
            text(of: $0, by: TextFormatter(time: .none))
        }
        #expect(line == "notice  for <private>\n")
    }

    @Test func `an error that ends the message is not written twice`() {
        struct Timeout: Error {}
        var message: LogMessage = "request failed"
        message.encoder.adopt()
        message.encoder.appendError(Timeout())
        let line = withRecord(message) { text(of: $0, by: TextFormatter(time: .none)) }
        #expect(line == "notice  request failed: Timeout()\n")
    }

    @Test func `what the buffer holds already stays before the line`() {
        var buffer = ByteBuffer()
        buffer.append("kept|")
        withRecord("m") { TextFormatter(time: .none).format($0, into: &buffer) }
        #expect(contents(of: buffer) == Array("kept|notice  m\n".utf8))
    }
}

/// Writes 100,000 bytes of which none begins a character.
private struct ContinuationBytes: Formatter {
    func format(_ record: borrowing Record, into buffer: inout ByteBuffer) {
        buffer.append(repeating: 0x80, count: 100_000)
    }
}
