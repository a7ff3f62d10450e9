// SPDX-License-Identifier: Apache-2.0

import Testing
import Winnow
import WinnowCore
import WinnowNetwork

/// What an option of a sink makes of its route, and what is said of a value that it does not have.
struct SinkOptionTests {
    private func route(_ text: String) throws -> Winnow.Route {
        let resolved = resolve(["WINNOW_SINKS": text, "WINNOW_LOG": "debug"])
        #expect(resolved.problems == [])
        return try #require(resolved.configuration.routes.first)
    }

    @Test func `what is kept of old files may be free space as well`() throws {
        let kept = try route("file:/a?rotate=1M&keep=5+FREE:1g+7d+500M").rotation?.kept
        #expect(
            kept
                == FileRotation.Kept(
                    count: 5,
                    age: 7 * 86_400,
                    byteCount: 500 << 20,
                    freeByteCount: 1 << 30
                )
        )
        let alone = try route("file:/a?rotate=1M&keep=free:64K").rotation?.kept
        #expect(alone == FileRotation.Kept(freeByteCount: 65_536))
    }

    @Test(
        arguments: [
            ("syslog+tcp://a", .octetCounting), ("syslog+tcp://a?framing=octets", .octetCounting),
            ("syslog+tcp://a?framing=LF", .lineFeed),
            ("syslog+tls://a?insecure=no&framing=lf", .lineFeed),
        ] as [(String, SyslogServer.Framing)]
    )
    func `a server takes messages by their length or by lines`(
        text: String,
        framing: SyslogServer.Framing
    ) throws {
        guard case .network(let destination as SyslogDestination) = try route(text).destination
        else {
            Issue.record("no server")
            return
        }
        #expect(destination.server.framing == framing)
    }

    @Test(arguments: ["journald", "syslog", "file:/a", "stderr", "stdout"])
    func `each sink of lines or entries takes a size`(name: String) throws {
        #expect(try route(name).recordByteCount == nil)
        #expect(try route("\(name)?size=16k").recordByteCount == 16_384)
        #expect(try route("\(name)?size=1500").recordByteCount == 1_500)
    }

    @Test func `a size in code that no record fits is refused`() {
        let routes: [Winnow.Route] = [
            .journald(recordByteCount: 1_023), .syslog(recordByteCount: 0),
            .file("/nowhere/a", recordByteCount: -1), .stderr(recordByteCount: 1),
            .stdout(recordByteCount: 1),
        ]
        let code = Winnow.Configuration(routes: routes, environment: .ignored)
        let error = #expect(throws: Winnow.ConfigurationError.self) { try Winnow.start(code) }
        let counts = [1_023, 0, -1, 1, 1]
        let lines = error?.description.split(separator: "\n") ?? []
        #expect(lines.count == counts.count)
        for (line, count) in zip(lines, counts) {
            #expect(line.hasSuffix("invalid recordByteCount \(count) (from 1024)"))
        }
    }

    @Test(arguments: [
        (
            "stdout?size=1000",
            "invalid value '1000' of option 'size' (bytes as 16K, from 1K) at character 13"
        ),
        (
            "syslog+tcp://a?size=1M",
            "invalid value '1M' of option 'size' (1024 to 131072, or 1K to 128K) at character 21"
        ),
        (
            "file:/a?rotate=daily&keep=free:1G+free:2G",
            "invalid value 'free:1G+free:2G' of option 'keep' (files as 5, hours or days as 7d, "
                + "bytes as 500M, free space as free:1G; joined by '+') at character 27"
        ),
        (
            "file:/a?rotate=daily&keep=used:1G",
            "invalid value 'used:1G' of option 'keep' (files as 5, hours or days as 7d, "
                + "bytes as 500M, free space as free:1G; joined by '+') at character 27"
        ),
        (
            "syslog+tcp://a?framing=lines",
            "invalid value 'lines' of option 'framing' (octets, lf) at character 24"
        ),
        ("syslog+udp://a?framing=lf", "unknown option 'framing' at character 16"),
    ])
    func `a value that an option does not have is told`(text: String, problem: String) {
        let problems = resolve(["WINNOW_SINKS": text, "WINNOW_LOG": "debug"]).problems
        #expect(problems == ["WINNOW_SINKS: '\(text)': \(problem)"])
    }
}
