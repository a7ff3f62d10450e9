// SPDX-License-Identifier: Apache-2.0

import Testing
import WinnowCore
import WinnowFormatters
import WinnowTesting

struct LogfmtFormatterTests {
    @Test func `a line is pairs, with all fields`() {
        let line = withRecord(
            "listening on host:\(80, as: "port")",
            category: "net",
            fields: ["path": "a b", "null": nil, "ratio": 0.5, "ok": true]
        ) { text(of: $0, by: LogfmtFormatter()) }
        #expect(
            line == "time=2026-11-21T09:30:15.123456Z level=notice category=net"
                + #" msg="listening on host:80" port=80 path="a b" null=null ratio=0.5 ok=true"#
                + "\n"
        )
    }

    @Test func `a message of one word needs no quotes, and an empty one has them`() {
        let word = withRecord("started") { text(of: $0, by: LogfmtFormatter()) }
        #expect(word == "time=2026-11-21T09:30:15.123456Z level=notice msg=started\n")
        let empty = withRecord("") { text(of: $0, by: LogfmtFormatter()) }
        #expect(empty == "time=2026-11-21T09:30:15.123456Z level=notice msg=\"\"\n")
    }

    @Test func `a text cannot add a pair or a line`() {
        let line = withRecord(
            "x\" level=debug\n\u{1B}\u{202E}\\",
            category: "a b",
            fields: ["k v": "a=b"]
        ) { text(of: $0, by: LogfmtFormatter()) }
        #expect(
            line == "time=2026-11-21T09:30:15.123456Z level=notice category=\"a b\""
                + #" msg="x\" level=debug\n\u001b\u202e\\" k_v="a=b""# + "\n"
        )
    }

    @Test func `no name occurs twice`() {
        let fields: Fields = [
            "level": 1, "msg": 2, "a b": 3, "a=b": 4, "a_b": 5, "time": 6, "category": 7, "x": 8,
            "x": 9,
        ]
        let line = withRecord("m", fields: fields) { text(of: $0, by: LogfmtFormatter()) }
        #expect(
            line == "time=2026-11-21T09:30:15.123456Z level=notice msg=m level_2=1 msg_2=2 a_b=3"
                + " a_b_2=4 a_b_3=5 time_2=6 category_2=7 x=8 x_2=9\n"
        )
    }

    @Test func `no name occurs twice, whatever characters become an underscore in it`() {
        let fields: Fields = [
            "": 1, "_": 2, "a\u{202E}": 3, "a_": 4, "a\u{2028}": 5, "é\u{85}": 6, "é_": 7,
            "\u{61C}_9": 8, "__": 9, "\u{200E}\u{200F}": 10,
        ]
        let line = withRecord("m", fields: fields) { text(of: $0, by: LogfmtFormatter()) }
        #expect(
            line == "time=2026-11-21T09:30:15.123456Z level=notice msg=m _=1 __10=2 a_=3 a__2=4"
                + " a__3=5 é_=6 é__2=7 __9=8 __=9 ___2=10\n"
        )
    }

    @Test func `no name occurs twice among many`() {
        var fields = Fields((0..<40).map { Field("f\($0)", $0) })
        fields.elements += ["level", "msg", "a b", "a=b", "a_b", "x", "x", "b", "b", "b\u{2028}2"]
            .map { Field($0, 0) }
        let line = withRecord("m", fields: fields) { text(of: $0, by: LogfmtFormatter()) }
        #expect(
            line?.hasSuffix(" level_2=0 msg_2=0 a_b=0 a_b_2=0 a_b_3=0 x=0 x_2=0 b=0 b_3=0 b_2=0\n")
                == true
        )
    }

    @Test func `bytes that are not UTF-8 become the replacement character`() {
        let line = withRecord(messageBytes: [0x61, 0xFF]) { text(of: $0, by: LogfmtFormatter()) }
        #expect(
            line == "time=2026-11-21T09:30:15.123456Z level=notice msg=\"a\u{FFFD}\"\n"
        )
    }
}
