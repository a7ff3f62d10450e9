// SPDX-License-Identifier: Apache-2.0

import Testing
import Winnow
import WinnowCore

/// What a link may be called, as it is told.
private let linkNames = "a name in the folder of the file, but none of the log's own files"

struct ConfigurationSinksTests {
    /// One route, with its options as they apply.
    struct Expected: Sendable, Equatable {
        var name: String
        var levels = LevelSet.all
        var format = Winnow.Format.text
        var color = Winnow.Color.auto
        var facility = Facility.user
    }

    /// The routes that apply with nothing configured but the variables.
    static func routes(_ variables: [String: String]) -> [Expected] {
        resolve(variables).configuration.routes.map { route in
            Expected(
                name: route.description,
                levels: route.levels,
                format: route.format ?? .text,
                color: route.color,
                facility: route.facility ?? .user
            )
        }
    }

    static let entries: [(text: String, routes: [Expected])] = [
        ("journald", [Expected(name: "journald")]),
        ("JOURNALD@notice", [Expected(name: "journald", levels: .upTo(.notice))]),
        ("stderr@error|debug", [Expected(name: "stderr", levels: [.error, .debug])]),
        ("stderr@off", [Expected(name: "stderr", levels: [])]),
        (
            " journald@notice , stderr @ 7 ,, ",
            [Expected(name: "journald", levels: .upTo(.notice)), Expected(name: "stderr")]
        ),
        ("file:/var/log/app.log", [Expected(name: "file:/var/log/app.log")]),
        (
            "file:/var/log/app.log@info?format=json",
            [Expected(name: "file:/var/log/app.log", levels: .upTo(.info), format: .json)]
        ),
        ("file:/a%2Cb%40c%3fd%25e:f", [Expected(name: "file:/a,b@c?d%e:f")]),
        ("file:/%C3%A9", [Expected(name: "file:/é")]),
        ("syslog", [Expected(name: "syslog")]),
        ("syslog:", [Expected(name: "syslog")]),
        ("syslog:/run/log", [Expected(name: "syslog:/run/log")]),
        ("syslog:///run/log", [Expected(name: "syslog:///run/log")]),
        ("syslog?facility=local0", [Expected(name: "syslog", facility: .local0)]),
        (
            "syslog+udp://logs.example.org@notice?facility=local0",
            [
                Expected(
                    name: "syslog+udp://logs.example.org:514",
                    levels: .upTo(.notice),
                    facility: .local0
                )
            ]
        ),
        (
            "syslog+tcp://192.0.2.1:10514?enterprise=4711&size=64K",
            [Expected(name: "syslog+tcp://192.0.2.1:10514")]
        ),
        (
            "syslog+tls://logs?ca=/a&cert=/b%2C&key=/c&insecure=no&framing=LF",
            [Expected(name: "syslog+tls://logs:6514")]
        ),
        ("SYSLOG+TCP://[::1]:1", [Expected(name: "syslog+tcp://[::1]:1")]),
        ("syslog+tcp://[fe80::1%25eth0]", [Expected(name: "syslog+tcp://[fe80::1%eth0]:601")]),
        ("stderr?color=never", [Expected(name: "stderr", color: .never)]),
        (
            "StdOut@info?format=json&color=always,stderr@error",
            [
                Expected(
                    name: "stdout",
                    levels: .upTo(.info),
                    format: .json,
                    color: .always
                ),
                Expected(name: "stderr", levels: .upTo(.error)),
            ]
        ),
        (
            "stderr@debug?Color=Always&format=logfmt&",
            [Expected(name: "stderr", format: .logfmt, color: .always)]
        ),
    ]

    /// Patterns as an entry spells them, and as they are.
    static let patterns: [(text: String, pattern: String)] = [
        ("stderr?format=pattern:{time} {message}", "{time} {message}"),
        ("file:/a@info?Format=Pattern:{[message] }a%2Cb%26c%25d%20", "{[message] }a,b&c%d "),
        ("stderr?format=pattern:%7Bmessage%7D=@?%C3%A9 é&color=never", "{message}=@?é é"),
    ]

    @Test(arguments: patterns)
    func `a sink has a pattern of its own`(text: String, pattern: String) {
        #expect(resolve(["WINNOW_LOG": "debug", "WINNOW_SINKS": text]).problems == [])
        #expect(
            ConfigurationSinksTests.routes(["WINNOW_SINKS": text]).map(\.format)
                == [.pattern(pattern)]
        )
    }

    @Test
    func `the options of a file say when it makes way, and what is kept`() {
        let options =
            "rotate=10M+daily+start&keep=5+7d+1G&names=Date&compress=gzip&link=current"
        let resolved = resolve([
            "WINNOW_LOG": "debug", "WINNOW_SINKS": "file:/a@info?\(options)&format=json",
        ])
        #expect(resolved.problems == [])
        #expect(
            resolved.configuration.routes.map(\.rotation) == [
                FileRotation(
                    size: 10 << 20,
                    period: .day,
                    atStart: true,
                    kept: .init(count: 5, age: 7 * 86_400, byteCount: 1 << 30),
                    naming: .date,
                    isCompressed: true,
                    link: "current"
                )
            ]
        )
    }

    @Test(arguments: entries)
    func `an entry names a sink, its levels and its options`(text: String, routes: [Expected]) {
        #expect(resolve(["WINNOW_LOG": "debug", "WINNOW_SINKS": text]).problems == [])
        #expect(ConfigurationSinksTests.routes(["WINNOW_SINKS": text]) == routes)
    }

    private static let triggers = "(bytes as 10M, from 1K, hourly or daily, start; joined by '+')"

    /// The problem, without `WINNOW_SINKS: ` and the entry, and the routes that still apply.
    static let problems: [(text: String, problem: String, routes: [Expected])] = [
        ("stdrr@debug", "unknown sink 'stdrr' at character 1; did you mean 'stderr'?", []),
        ("@debug", "a sink is missing at character 1", []),
        (
            "elephant",
            "unknown sink 'elephant' (journald, syslog, file, stderr, stdout, syslog+udp, syslog+tcp, syslog+tls)"
                + " at character 1",
            []
        ),
        ("stdot@info", "unknown sink 'stdot' at character 1; did you mean 'stdout'?", []),
        ("console", "unknown sink 'console' at character 1; did you mean 'stderr'?", []),
        ("stdout:1", "'stdout' takes no path at character 8", [Expected(name: "stdout")]),
        (
            "stdout?colour=never",
            "unknown option 'colour' at character 8; did you mean 'color'?",
            [Expected(name: "stdout")]
        ),
        (
            "off", "'off' is no sink: to log nothing, set WINNOW_LOG=off at character 1", []
        ),
        (
            "syslog://logs:514",
            "the transport to the server is missing: udp, tcp or tls at character 1;"
                + " did you mean 'syslog+udp://logs:514'?",
            []
        ),
        ("/a.log@debug", "unknown sink '/a.log' at character 1; did you mean 'file:/a.log'?", []),
        (
            "syslog+tls://a?insecure=maybe",
            "invalid value 'maybe' of option 'insecure' (yes, no) at character 25",
            [Expected(name: "syslog+tls://a:6514")]
        ),
        (
            "syslog+tcp://a?ca=/x", "unknown option 'ca' at character 16",
            [Expected(name: "syslog+tcp://a:601")]
        ),
        ("syslog+tcp", "the server is missing, as in 'syslog+tcp://host:port' at character 1", []),
        (
            "syslog+tcp:host:601",
            "the server is missing, as in 'syslog+tcp://host:port' at character 12", []
        ),
        ("syslog+tcp://", "a host is missing at character 13", []),
        ("syslog+tcp://:601", "a host is missing at character 14", []),
        ("syslog+tcp://a:b", "invalid port 'b' at character 16", []),
        ("syslog+tcp://a:0", "invalid port '0' at character 16", []),
        ("syslog+tcp://a:65536", "invalid port '65536' at character 16", []),
        ("syslog+tcp://::1", "an address of IPv6 stands in brackets: '[::1]' at character 14", []),
        ("syslog+tcp://[::1", "']' is missing at character 14", []),
        ("syslog+tcp://[::1]x", "invalid port 'x' at character 19", []),
        ("syslog+tcp://a/b", "invalid host 'a/b' at character 14", []),
        (
            "syslog+tpc://a",
            "unknown sink 'syslog+tpc' at character 1; did you mean 'syslog+tcp'?", []
        ),
        (
            "syslog+udp://a?size=200K",
            "invalid value '200K' of option 'size' (1024 to 131072, or 1K to 128K) at character 21",
            [Expected(name: "syslog+udp://a:514")]
        ),
        (
            "syslog+udp://a?enterprise=0",
            "invalid value '0' of option 'enterprise' (1 to 4294967295) at character 27",
            [Expected(name: "syslog+udp://a:514")]
        ),
        (
            "syslog?enterprise=1", "unknown option 'enterprise' at character 8",
            [Expected(name: "syslog")]
        ),
        ("file", "a path is missing at character 1", []),
        ("file:", "a path is missing at character 5", []),
        ("file:@info", "a path is missing at character 6", []),
        (
            "file:/a%zz",
            "an escape is '%' and two hexadecimal digits, and '%' itself '%25' at character 9", []
        ),
        (
            "file:/a%4",
            "an escape is '%' and two hexadecimal digits, and '%' itself '%25' at character 9", []
        ),
        (
            "file:/a%+1",
            "an escape is '%' and two hexadecimal digits, and '%' itself '%25' at character 9", []
        ),
        (
            "file:/a%00",
            "an escape is '%' and two hexadecimal digits, and '%' itself '%25' at character 9", []
        ),
        ("file:/%FF", "a path is not UTF-8 at character 6", []),
        ("file:/a@b/c", "no levels after '@', which in a path is written '%40' at character 9", []),
        ("journald:/x", "'journald' takes no path at character 10", [Expected(name: "journald")]),
        (
            "stderr@notcie", "unknown level 'notcie' at character 8; did you mean 'notice'?",
            [Expected(name: "stderr")]
        ),
        (
            "stderr@info?colour=never",
            "unknown option 'colour' at character 13; did you mean 'color'?",
            [Expected(name: "stderr", levels: .upTo(.info))]
        ),
        (
            "stderr?format=jsn&color=never",
            "unknown format 'jsn' at character 15; did you mean 'json'?",
            [Expected(name: "stderr", color: .never)]
        ),
        (
            "stderr?format=patern:{time}",
            "unknown format 'patern' at character 15; did you mean 'pattern:'?",
            [Expected(name: "stderr")]
        ),
        (
            "stderr?format=pattern:%C3%A9%7Btime&color=never",
            "no '}' behind this '{', which is written '{{' at character 29",
            [Expected(name: "stderr", color: .never)]
        ),
        (
            "stderr?format=pattern:é%20%C3%A9{tiem}",
            "unknown name 'tiem' at character 34; did you mean 'time'?",
            [Expected(name: "stderr")]
        ),
        (
            "stderr?format=pattern:", "the pattern is empty at character 22",
            [Expected(name: "stderr")]
        ),
        (
            "stderr?format=pattern:{time}%zz",
            "an escape is '%' and two hexadecimal digits, and '%' itself '%25' at character 30",
            [Expected(name: "stderr")]
        ),
        (
            "stderr?format=pattern:{time}%FF", "a pattern is not UTF-8 at character 23",
            [Expected(name: "stderr")]
        ),
        (
            "stderr?format=pattern:{time}%0A",
            "a line feed, which every record ends with anyway, and only ends with at character 29",
            [Expected(name: "stderr")]
        ),
        ("stderr?color", "option 'color' has no value at character 8", [Expected(name: "stderr")]),
        ("stderr?=x", "an option is missing at character 8", [Expected(name: "stderr")]),
        (
            "journald?format=json", "unknown option 'format' at character 10",
            [Expected(name: "journald")]
        ),
        (
            "file:/a?rotate=weekly",
            "invalid value 'weekly' of option 'rotate' \(triggers) at character 16",
            [Expected(name: "file:/a")]
        ),
        (
            "file:/a?rotate=dayly",
            "invalid value 'dayly' of option 'rotate' at character 16; did you mean 'daily'?",
            [Expected(name: "file:/a")]
        ),
        (
            "file:/a?rotate=0", "invalid value '0' of option 'rotate' \(triggers) at character 16",
            [Expected(name: "file:/a")]
        ),
        (
            "file:/a?rotate=1M+2M",
            "invalid value '1M+2M' of option 'rotate' \(triggers) at character 16",
            [Expected(name: "file:/a")]
        ),
        (
            "file:/a?rotate=daily&keep=x",
            "invalid value 'x' of option 'keep' (files as 5, hours or days as 7d, bytes as 500M, free space as free:1G; joined by '+') at character 27",
            [Expected(name: "file:/a")]
        ),
        (
            "file:/a?rotate=daily&names=foo",
            "invalid value 'foo' of option 'names' (sequence, date) at character 28",
            [Expected(name: "file:/a")]
        ),
        (
            "file:/a?rotate=daily&compress=zstd",
            "invalid value 'zstd' of option 'compress' (gzip, none) at character 31",
            [Expected(name: "file:/a")]
        ),
        (
            "file:/a?rotate=daily&link=a/b",
            "invalid value 'a/b' of option 'link' (\(linkNames)) at character 27",
            [Expected(name: "file:/a")]
        ),
        (
            "file:/b/app.log?rotate=daily&link=app.log.1",
            "invalid value 'app.log.1' of option 'link' (\(linkNames)) at character 35",
            [Expected(name: "file:/b/app.log")]
        ),
        (
            "file:/a?format=yaml",
            "unknown format 'yaml' (text, json, logfmt, pattern) at character 16",
            [Expected(name: "file:/a")]
        ),
        (
            "file:/a?rotate=1M&keep=2&Rotate=2M",
            "option 'rotate' comes twice, and this one applies at character 26",
            [Expected(name: "file:/a")]
        ),
        (
            "file:/a?rotate=10MB&keep=5",
            "invalid value '10MB' of option 'rotate' (bytes as 10M, from 1K, hourly or daily, start; joined by '+') at character 16",
            [Expected(name: "file:/a")]
        ),
        (
            "file:/a?keep=5", "an option of rotation without option 'rotate' at character 9",
            [Expected(name: "file:/a")]
        ),
        (
            "syslog?facility=loco",
            "invalid value 'loco' of option 'facility' (\(Facility.choices)) at character 17",
            [Expected(name: "syslog")]
        ),
    ]

    @Test(arguments: problems)
    func `what is not understood is told, and the rest applies`(
        text: String,
        problem: String,
        routes: [Expected]
    ) {
        let problems = resolve(["WINNOW_LOG": "debug", "WINNOW_SINKS": text]).problems

        #expect(problems == ["WINNOW_SINKS: '\(text)': \(problem)"])
        #expect(ConfigurationSinksTests.routes(["WINNOW_SINKS": text]) == routes)
    }

    @Test
    func `a comma within a pattern is told where it ends the entry`() {
        let text = "stderr?format=pattern:{message},{time}"
        #expect(
            resolve(["WINNOW_SINKS": text]).problems == [
                "WINNOW_SINKS: '{time}': unknown sink '{time}': a ',' in a pattern is written"
                    + " '%2C' at character 33"
            ]
        )
    }

    @Test(arguments: [
        ("stderr", "stderr?format=json"), ("stderr@error", "stderr@debug"),
        ("stdout", "stdout?format=json"),
        ("journald", "JOURNALD"),
        ("file:/a", "file:/a?rotate=1M"), ("file:/a@error|info", "file:/%61@info|debug"),
    ])
    func `records that come to one destination twice are told`(one: String, two: String) {
        let name = one.prefix { $0 != "@" }
        #expect(
            resolve(["WINNOW_LOG": "debug", "WINNOW_SINKS": "\(one),syslog,\(two)"]).problems == [
                "WINNOW_SINKS: '\(two)': '\(name)' is named twice, and gets records twice"
                    + " at character \(one.count + 9)"
            ]
        )
    }

    @Test(arguments: [
        (
            "notice", "info",
            "the filter lets nothing below notice through, which WINNOW_LOG=info would"
        ),
        (
            "error,net=warning", "7",
            "the filter lets nothing below warning through, which WINNOW_LOG=debug would"
        ),
        ("notice,net=info", "info", nil), ("error", "all", nil), ("off", "debug", nil),
    ])
    func `a level that the filter never lets through is told`(
        filter: String,
        level: String,
        reason: String?
    ) {
        let variables = ["WINNOW_LOG": filter, "WINNOW_SINKS": "stderr@error,file:/a@\(level)"]
        let name = "WINNOW_SINKS: 'file:/a@\(level == "7" ? "debug" : level)': "
        #expect(resolve(variables).problems == (reason.map { [name + $0] } ?? []))
    }

    @Test
    func `one destination may have its levels in two forms`() {
        let sinks = "file:/a@error?format=json,file:/a@info|debug,file:/b,stderr@off,stderr"
        #expect(resolve(["WINNOW_LOG": "debug", "WINNOW_SINKS": sinks]).problems == [])
    }

    @Test
    func `positions count from the beginning of the variable`() {
        #expect(
            resolve(["WINNOW_LOG": "debug", "WINNOW_SINKS": "journald@notice, stdrr"]).problems
                == [
                    "WINNOW_SINKS: 'stdrr': unknown sink 'stdrr' at character 18; did you mean 'stderr'?"
                ]
        )
    }

    @Test
    func `an option of a sink comes before the variable for all, and that before the code`() {
        let variables = [
            "WINNOW_FORMAT": "logfmt", "WINNOW_COLOR": "never", "WINNOW_FACILITY": "mail",
        ]
        let sinks = "stderr,stderr?format=json&color=always,syslog?facility=local1"
        #expect(
            ConfigurationSinksTests.routes(variables.merging(["WINNOW_SINKS": sinks]) { $1 })
                == [
                    Expected(name: "stderr", format: .logfmt, color: .never, facility: .mail),
                    Expected(name: "stderr", format: .json, color: .always, facility: .mail),
                    Expected(name: "syslog", format: .logfmt, color: .never, facility: .local1),
                ]
        )

        let code = Winnow.Configuration(
            routes: [.stderr(format: .json, color: .always), .syslog(facility: .local1)]
        )
        let routes = resolve(variables, code).configuration.routes
        #expect(routes.map(\.format) == [.logfmt, .logfmt])
        #expect(routes.map(\.color) == [.never, .never])
        #expect(routes.map(\.facility) == [.mail, .mail])
    }

    @Test
    func `a route of the code comes before the rest of the configuration`() {
        let code = Winnow.Configuration(
            facility: .daemon,
            routes: [.stderr(format: .json), .stderr(), .syslog(facility: .local1), .syslog()],
            format: .logfmt
        )
        let routes = resolve([:], code).configuration.routes

        #expect(routes.map(\.format) == [.json, .logfmt, .logfmt, .logfmt])
        #expect(routes.map(\.facility) == [.daemon, .daemon, .local1, .daemon])
    }

    @Test
    func `no environment is too strange`() {
        var random = SystemRandomNumberGenerator()
        let words = [
            "journald", "syslog", "file:", "stderr", "stdout", "/a", "@", "?", "&", "=", ",", "%",
            "%4",
            "%00",
            "format=", "color", "json", "notice", "|", " ", "é", "\u{301}", "\r\n", "\0", "debgu",
            "off", "*", ".", "net", "+tls:", "9", "\u{1F469}\u{200D}", "pattern:", "{time", "}",
            "{", ":<9", "%7B", "%C3%A9", "message", "\n",
        ]
        let names = [
            "WINNOW_LOG", "WINNOW_SINKS", "WINNOW_FORMAT", "WINNOW_COLOR", "WINNOW_IDENTIFIER",
            "WINNOW_FACILITY", "WINNOW_PRIVATE", "LOG_LEVEL", "DEBUG_INVOCATION", "WINNOW_SINSK",
        ]
        for _ in 0..<10_000 {
            let name = names[Int.random(in: names.indices, using: &random)]
            let count = Int.random(in: 0...8, using: &random)
            let value = (0..<count)
                .map { _ in words[Int.random(in: words.indices, using: &random)] }
                .joined()
            let (_, problems) = ResolvedConfiguration.resolve(
                Winnow.Configuration(),
                in: Environment(ownNames: [name]) { $0 == name ? value : nil },
                program: "prog"
            )
            let length = value.unicodeScalars.count
            #expect(
                problems.allSatisfy { 1 <= $0.position ?? 1 && $0.position ?? 1 <= length },
                "\(name)=\(value)"
            )
        }
    }
}
