// SPDX-License-Identifier: Apache-2.0

import Testing
import WinnowCore
import WinnowRedirect

/// Which part of a line the rules see and the record has.
struct PrintedLineTests {
    static let breaks: [(line: String, text: String)] = [
        ("text", "text"), ("text\n", "text"), ("text\r\n", "text"), ("text\r", "text"),
        ("text\r\r\n", "text"), ("", ""), ("\n", ""), ("\r\n", ""), ("\r\r", ""),
        (" text ", " text "), ("text\n\n", "text\n"),
        ("10%\r50%\r100%\n", "100%"), ("10%\r100%\r\n", "100%"), ("\r10%", "10%"),
        ("10%\r \r", " "), ("a\0b\r\n", "a\0b"), ("\r\r10%\r\r", "10%"),
    ]

    @Test(arguments: breaks)
    func `the text is without line break and what was drawn over`(line: String, text: String) {
        #expect(decide(line, otherwise: .log(.info)) == "info|\(text)")
        #expect(
            decide(line, by: [.matchesSlowly(#/^10%/#, .drop)]) == (text == "10%" ? "drop" : "pass")
        )
    }

    @Test
    func `a prefix is looked for behind what was drawn over`() {
        #expect(decide("10%\rWARN a\r\n", by: [.prefix("WARN ", .drop)]) == "drop")
        #expect(decide("WARN \r10%\r\n", by: [.prefix("WARN ", .drop)]) == "pass")
        #expect(decide("a\r[INFO] b", otherwise: .logParsed(otherwise: .alert)) == "info|b")
    }

    static let banners: [(line: String, text: String)] = [
        ("2026-11-21 00:08:19.874 t1[17770:22646800] nslog x multi", "nslog x multi"),
        ("2026-11-21 00:08:19.874 t1[1:0] \n", ""),
        ("0000-99-99 99:99:99.999 a[9999999999:ffffffff] x", "x"),
        ("2026-11-21 00:08:19.874 a.b-c_d[1:2][3:4] x", "x"),
        ("2026-11-21 00:08:19.874 a[b][3:4] x", "x"),
        ("2026-11-21 00:08:19.874 \u{E9}[3:4] x\r\n", "x"),
        ("2026-11-21 00:08:19.874 p[3:4] 10%\r20%\r\n", "20%"),
        ("2026-11-21 00:08:19.874 p[3:4] [5:6] x", "[5:6] x"),
    ]

    @Test(arguments: banners)
    func `the banner of NSLog is taken off`(line: String, text: String) {
        #expect(decide(line, otherwise: .log(.info)) == "info|\(text)")
    }

    static let others = [
        "2026-11-21 00:08:19.874 p[3:4]", "2026-11-21 00:08:19.874 p[3:4]x",
        "2026-11-21 00:08:19.874 ",
        "2026-11-21 00:08:19.874 p[3:] x", "2026-11-21 00:08:19.874 p[:4] x",
        "2026-11-21 00:08:19.874 p[3:4g] x", "2026-11-21 00:08:19.874 p[3a:4] x",
        "2026-11-21 00:08:19.874 p[3:ABC] x", "2026-11-21 00:08:19.874 p[12345678901:4] x",
        "2026-11-21 00:08:19.874 p[1:123456789] x", "2026-11-21 00:08:19.874 p q[3:4] x",
        "2026-11-21 00:08:19.874 [3:4] x", "2026-11-21 00:08:19,874 p[3:4] x",
        "2026-11-21T00:08:19.874 p[3:4] x", " 2026-11-21 00:08:19.874 p[3:4] x",
        "2026-11-21 00:08:19.87 p[3:4] x",
        "2026-11-21 00:08:19.874 \(String(repeating: "p", count: 256))[3:4] x",
    ]

    @Test(arguments: others)
    func `what only resembles the banner stays`(line: String) {
        #expect(decide(line, otherwise: .log(.info)) == "info|\(line)")
    }

    @Test
    func `the longest name of a program is in a banner`() {
        let line = "2026-11-21 00:08:19.874 \(String(repeating: "p", count: 255))[3:4] x"

        #expect(decide(line, otherwise: .log(.info)) == "info|x")
    }

    @Test
    func `rules look at the text behind the banner`() {
        let line = "2026-11-21 00:08:19.874 prog[3:4] WARN x"

        #expect(decide(line, by: [.prefix("WARN", .drop)]) == "drop")
        #expect(decide(line, by: [.prefix("2026", .drop)]) == "pass")
        #expect(decide(line, by: [.contains("prog", .drop)]) == "pass")
        #expect(decide(line, by: [.matches(#/^WARN x$/#, requiring: "x", .drop)]) == "drop")
    }

    @Test
    func `the level of NSLog is for lines without a mark whose action is to parse`() {
        let plain = "2026-11-21 00:08:19.874 p[3:4] x"
        let marked = "2026-11-21 00:08:19.874 p[3:4] ERROR: x"
        let parsed = RedirectAction.logParsed(otherwise: .info, category: "c")

        #expect(decide(plain, otherwise: parsed) == "notice@c|x")
        #expect(decide(plain, otherwise: parsed, nsLogLevel: .warning) == "warning@c|x")
        #expect(decide(marked, otherwise: parsed) == "error@c|x")
        #expect(decide("x", otherwise: parsed, nsLogLevel: .warning) == "info@c|x")
        #expect(decide(plain, otherwise: .log(.debug), nsLogLevel: .warning) == "debug|x")
    }
}
