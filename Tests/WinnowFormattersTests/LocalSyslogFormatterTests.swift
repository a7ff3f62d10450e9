// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import WinnowCore
import WinnowFormatters
import WinnowTesting

struct LocalSyslogFormatterTests {
    @Test func `a message has priority, local time, tag and process, and no line feed`() async {
        await #expect(processExitsWith: .success) {
            setTimeZone("ABC-01:00")
            let message = withRecord(
                "listening on host:\(80, as: "port")",
                category: "net",
                fields: ["path": "a b", "n": 1]
            ) {
                text(of: $0, by: LocalSyslogFormatter(identifier: "myapp", facility: .daemon))
            }
            #expect(
                message == "<29>Nov 21 10:30:15 myapp[10]: [net] listening on host:80"
                    + #" path="a b" n=1"#
            )
        }
    }

    @Test(
        arguments: [
            (.kernel, .emergency, "<0>"), (.user, .debug, "<15>"), (.mail, .error, "<19>"),
            (.local7, .debug, "<191>"),
        ] as [(Facility, Level, String)]
    )
    func `the priority is facility and level`(facility: Facility, level: Level, prefix: String) {
        let message = withRecord("m", level: level) {
            text(of: $0, by: LocalSyslogFormatter(identifier: "a", facility: facility))
        }
        #expect(message?.hasPrefix(prefix) == true)
        #expect(afterTime(message, prefix: prefix) == " a[10]: m")
    }

    @Test(
        arguments: [
            ("my-app_2.0", "my-app_2.0"), ("", "-"), ("a b/c:d[1]", "a_b_c_d_1_"),
            ("größe", "gr__e"), ("x\n<0>", "x__0_"), ("\u{1B}", "_"),
            (
                "abcdefghijklmnopqrstuvwxyz0123456789", "abcdefghijklmnopqrstuvwxyz012345"
            ),
        ])
    func `the tag is cleaned and cut`(identifier: String, tag: String) {
        let message = withRecord("m") {
            text(of: $0, by: LocalSyslogFormatter(identifier: identifier))
        }
        #expect(afterTime(message, prefix: "<13>") == " \(tag)[10]: m")
    }

    @Test func `nothing in a message ends it`() {
        let message = withRecord(
            messageBytes: Array("x\n<0>forged\0\t\u{1B}[0m\u{202E}".utf8) + [0x9F],
            fields: [(Array("k".utf8), Array("a\nb".utf8))]
        ) { text(of: $0, by: LocalSyslogFormatter(identifier: "a")) }
        #expect(
            afterTime(message, prefix: "<13>")
                == #" a[10]: x\n<0>forged\u{0}\t\u{1b}[0m\u{202e}\x9f k="a\nb""#
        )
    }
}

/// What follows the time, which depends on the zone of the machine.
private func afterTime(_ message: String?, prefix: String) -> String? {
    message.map { String($0.dropFirst(prefix.count + 15)) }
}
