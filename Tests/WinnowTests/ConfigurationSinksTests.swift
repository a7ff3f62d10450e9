// SPDX-License-Identifier: Apache-2.0

import Testing
import Winnow
import WinnowCore

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
        ("syslog?facility=local0", [Expected(name: "syslog", facility: .local0)]),
        ("stderr?color=never", [Expected(name: "stderr", color: .never)]),
        (
            "stderr@debug?Color=Always&format=logfmt&",
            [Expected(name: "stderr", format: .logfmt, color: .always)]
        ),
    ]

    @Test(arguments: entries)
    func `an entry names a sink, its levels and its options`(text: String, routes: [Expected]) {
        #expect(resolve(["WINNOW_SINKS": text]).problems == [])
        #expect(ConfigurationSinksTests.routes(["WINNOW_SINKS": text]) == routes)
    }

    /// The problem, without `WINNOW_SINKS: ` and the entry, and the routes that still apply.
    static let problems: [(text: String, problem: String, routes: [Expected])] = [
        ("stdrr@debug", "no sink 'stdrr' at 1; did you mean 'stderr'?", []),
        ("@debug", "a sink is missing at 1", []),
        ("elephant", "no sink 'elephant' at 1", []),
        ("syslog+tls://host:6514", "not in this version: sink 'syslog+tls' at 1", []),
        ("file", "a path is missing at 1", []),
        ("file:", "a path is missing at 5", []),
        ("file:@info", "a path is missing at 6", []),
        ("file:/a%zz", "no escape after '%', which is written '%25' at 9", []),
        ("file:/a%4", "no escape after '%', which is written '%25' at 9", []),
        ("file:/a%+1", "no escape after '%', which is written '%25' at 9", []),
        ("file:/a%00", "no escape after '%', which is written '%25' at 9", []),
        ("file:/%FF", "a path is not UTF-8 at 6", []),
        ("file:/a@b/c", "no levels after '@', which in a path is written '%40' at 9", []),
        ("journald:/x", "'journald' takes no path at 10", [Expected(name: "journald")]),
        (
            "stderr@notcie", "no level 'notcie' at 8; did you mean 'notice'?",
            [Expected(name: "stderr")]
        ),
        (
            "stderr@info?colour=never", "no option 'colour' at 13; did you mean 'color'?",
            [Expected(name: "stderr", levels: .upTo(.info))]
        ),
        (
            "stderr?format=jsn&color=never", "no format 'jsn' at 15; did you mean 'json'?",
            [Expected(name: "stderr", color: .never)]
        ),
        ("stderr?color", "a value is missing of option 'color' at 8", [Expected(name: "stderr")]),
        ("stderr?=x", "an option is missing at 8", [Expected(name: "stderr")]),
        ("journald?format=json", "no option 'format' at 10", [Expected(name: "journald")]),
        (
            "file:/a?rotate=10M", "not in this version: option 'rotate' at 9",
            [Expected(name: "file:/a")]
        ),
        (
            "syslog?facility=loco", "no facility 'loco' at 17",
            [Expected(name: "syslog")]
        ),
    ]

    @Test(arguments: problems)
    func `what is not understood is told, and the rest applies`(
        text: String,
        problem: String,
        routes: [Expected]
    ) {
        let problems = resolve(["WINNOW_SINKS": text]).problems

        #expect(problems == ["WINNOW_SINKS: '\(text)': \(problem)"])
        #expect(ConfigurationSinksTests.routes(["WINNOW_SINKS": text]) == routes)
    }

    @Test
    func `positions count from the beginning of the variable`() {
        #expect(
            resolve(["WINNOW_SINKS": "journald@notice, stdrr"]).problems
                == ["WINNOW_SINKS: 'stdrr': no sink 'stdrr' at 18; did you mean 'stderr'?"]
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
            "journald", "syslog", "file:", "stderr", "/a", "@", "?", "&", "=", ",", "%", "%4",
            "%00",
            "format=", "color", "json", "notice", "|", " ", "é", "\u{301}", "\r\n", "\0", "debgu",
            "off", "*", ".", "net", "+tls:", "9", "\u{1F469}\u{200D}",
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
