// SPDX-License-Identifier: Apache-2.0

import Testing
import Winnow
import WinnowCore
import WinnowRedirect
import WinnowTesting

/// `WINNOW_REDIRECT`.
struct ConfigurationRedirectTests {
    private func parse(_ text: String) -> (settings: RedirectSettings?, problems: [String]) {
        var parser = RedirectListParser()
        parser.read(text)
        return (parser.settings, parser.problems.map(\.description))
    }

    /// What becomes of a line by the rules of the text, which has no problem.
    private func decide(
        _ text: String,
        _ line: String,
        from origin: LineOrigin = LineOrigin(name: "Noisy"),
        on stream: PrintedStream = .stdout
    ) throws -> RedirectDecision {
        let (parsed, problems) = parse(text)
        #expect(problems == [])
        let settings = try #require(parsed)
        return RuleSet(settings.rules, otherwise: settings.otherwise ?? .pass)
            .selection(origin: origin, stream: stream).decide(line.utf8.span)
    }

    private func log(_ level: Level, _ text: String) -> RedirectDecision {
        .log(level, category: nil, text: 0..<text.utf8.count)
    }

    @Test
    func `the rules of the design`() throws {
        let text = "stdout=info,NoisyNet=drop,/^DEBUG/=debug"
        let net = LineOrigin(name: "NoisyNet")

        #expect(try decide(text, "a") == log(.info, "a"))
        #expect(try decide(text, "a", on: .stderr) == .pass)
        #expect(try decide(text, "a", from: net, on: .stderr) == .drop)
        #expect(try decide(text, "DEBUG", from: net, on: .stderr) == log(.debug, "DEBUG"))
        #expect(parse(text).settings?.descriptors == [])
    }

    @Test(arguments: [("30s", 30), ("2m", 120), ("24H", 86_400)])
    func `equal lines are collapsed where an entry says for how long`(time: String, seconds: UInt64)
        throws
    {
        let interval = seconds * 1_000_000_000
        #expect(
            try decide("*=parse:info?collapse=\(time)", "<3>a")
                == .log(.error, category: nil, collapsing: interval, text: 3..<4)
        )
        #expect(
            try decide("/=x/=debug?collapse=\(time)", "=x")
                == .log(.debug, category: nil, collapsing: interval, text: 0..<2)
        )
    }

    @Test
    func `the most specific entry applies, however they are ordered`() throws {
        let entries = [
            "*=0", "stderr=1", "descriptor=2", "descriptor.stdout=3", "N*=4", "NoisyNet=5",
            #""text"=6"#, "/^a/=7",
        ]
        for text in [entries.joined(separator: ","), entries.reversed().joined(separator: " , ")] {
            let net = LineOrigin(name: "NoisyNet")
            let other = LineOrigin(name: "Other")
            #expect(try decide(text, "b", from: other) == log(.emergency, "b"))
            #expect(try decide(text, "b", from: other, on: .stderr) == log(.alert, "b"))
            #expect(try decide(text, "b", from: .descriptor, on: .stderr) == log(.critical, "b"))
            #expect(try decide(text, "b", from: .descriptor) == log(.error, "b"))
            #expect(try decide(text, "b", from: LineOrigin(name: "No")) == log(.warning, "b"))
            #expect(try decide(text, "b", from: net, on: .stderr) == log(.notice, "b"))
            #expect(try decide(text, "b text", from: net) == log(.info, "b text"))
            #expect(try decide(text, "ab", from: net) == log(.debug, "ab"))
        }
    }

    @Test
    func `of one class the first entry applies`() throws {
        #expect(try decide(#""a"=drop,/b/=info"#, "ab") == .drop)
        #expect(try decide(#"/b/=info,"a"=drop"#, "ab") == log(.info, "ab"))
        #expect(try decide("No*=drop,N*=info", "a") == .drop)
        #expect(try decide("N*=info,No*=drop", "a") == log(.info, "a"))
    }

    static let actions: [(word: String, action: RedirectAction)] = [
        ("drop", .drop), ("PASS", .pass), ("info", .log(.info)), ("Err", .log(.error)),
        ("7", .log(.debug)), ("panic", .log(.emergency)), ("parse", .logParsed(otherwise: .notice)),
        ("Parse:WARN", .logParsed(otherwise: .warning)),
        ("parse : 6", .logParsed(otherwise: .info)),
    ]

    @Test(arguments: actions)
    func `an action is a word`(word: String, action: RedirectAction) {
        let (settings, problems) = parse("*= \(word) ")

        #expect(problems == [])
        #expect(settings?.otherwise == action)
        #expect(settings?.rules.isEmpty == true)
    }

    static let descriptors: [(text: String, streams: Set<PrintedStream>)] = [
        ("stdout=info,*=drop,a=drop", []), ("descriptor=info", [.stdout, .stderr]),
        ("descriptor.stdout=info", [.stdout]), ("descriptor.stderr=pass", [.stderr]),
        ("descriptor.stderr=pass,descriptor.stdout=drop", [.stdout, .stderr]),
    ]

    @Test(arguments: descriptors)
    func `the entries for descriptors say which are captured`(
        text: String,
        streams: Set<PrintedStream>
    ) {
        #expect(parse(text).settings?.descriptors == streams)
        #expect(parse(text).problems == [])
    }

    @Test
    func `expressions and texts hold what ends an entry`() throws {
        let text = #"/a,b=c\/d/=drop,"e,f=\"g\\"=info,Noisy=debug"#

        #expect(try decide(text, "xa,b=c/dx") == .drop)
        #expect(try decide(text, #"e,f="g\"#) == log(.info, #"e,f="g\"#))
        #expect(try decide(text, "e,f=") == log(.debug, "e,f="))
        #expect(try decide(#"/[,"]=/=drop"#, #"a"="#) == .drop)
        #expect(try decide(#"/\\/=drop,/b/=info"#, #"a\b"#) == .drop)
    }

    @Test
    func `an expression compares Unicode scalars`() throws {
        // The Kelvin sign is a K for who compares characters, and has not its byte.
        #expect(try decide("/^K/=drop", "\u{212A}") == .pass)
        #expect(try decide("/^.$/=drop", "e\u{301}") == .pass)
        #expect(try decide("/é/=drop", "été") == .drop)
    }

    @Test
    func `an origin that is a guess is asked for with a tilde`() throws {
        let guess = LineOrigin(name: "NoisyNet", isApproximate: true)

        #expect(try decide("NoisyNet=drop", "a", from: guess) == .pass)
        #expect(try decide("NoisyNet~=drop", "a", from: guess) == .drop)
        #expect(try decide("Noisy*~ = drop", "a", from: guess) == .drop)
    }

    static let literals: [(pattern: String, literal: String)] = [
        ("^DEBUG", "DEBUG"), (#"code=\d+"#, "code="), ("abc", "abc"), ("abc*", "ab"),
        ("abc?", "ab"),
        ("abc{0}", "ab"), ("abc+d", "abc"), ("a", "a"), ("a?", ""), (#"a\.b"#, "a.b"),
        (#"a\/b"#, "a/b"),
        (#"a\\*"#, "a"), (#"\[x\]*"#, "[x"), (#"\d"#, ""), (#"\bfoo"#, ""), (".a", ""),
        ("[ab]c", ""),
        ("(ab)", ""), ("ab(c|d)", "ab"), ("ab(?:c|d)", "ab"), ("ab|cd", ""), ("ab(c)|d", ""),
        (#"ab\|cd"#, "ab|cd"), (#"ab\|cd|e"#, ""), ("ab[(]|c", ""), ("ab[|]", ""),
        (#"a\Q(\E|b"#, ""),
        ("ab(?#()|c", ""), ("ab(?x) #(\n|c", ""), ("(?i)abc", ""), ("abc(?i)d", "abc"), ("é", ""),
        ("abé", "a"), ("ae\u{301}*", "a"), ("ab$", "ab"), ("^", ""), ("$a", ""), ("a\tb", "a"),
        ("", ""),
        ("a b", "a b"), ("^^a", ""), (#"ab\"#, "ab"), ("ab)", "ab"), ("a(b)c|d)", ""),
    ]

    @Test(arguments: literals)
    func `each match of an expression begins with its literal`(pattern: String, literal: String) {
        #expect(RedirectExpression.requiredLiteral(of: pattern[...]) == literal)
    }

    @Test(arguments: ["off", " NONE ", "Off"])
    func `off asks for no redirect`(text: String) {
        let (settings, problems) = parse(text)

        #expect(problems == [])
        #expect(settings?.isOff == true)
    }

    @Test
    func `an empty value and one of which nothing applies ask for nothing`() {
        #expect(parse(" , ,").settings == nil)
        #expect(parse(" , ,").problems == [])
        #expect(parse("stdout=x").settings == nil)
        #expect(resolve(["WINNOW_REDIRECT": ""]).configuration.redirect == nil)
        #expect(resolve([:]).configuration.redirect == nil)
        #expect(resolve(["WINNOW_REDIRECT": "*=drop"]).configuration.redirect?.otherwise == .drop)
        #expect(parse("stdout=info").settings?.isOff == false)
        #expect(parse("*=drop").settings?.isOff == false)
        #expect(parse("*=pass").settings?.isOff == false)
        #expect(parse("descriptor=pass").settings?.isOff == false)
    }

    static let problems: [(text: String, problems: [String])] = [
        (
            "stdout=inof",
            ["'stdout=inof': unknown action 'inof' at character 8; did you mean 'info'?"]
        ),
        (
            "a=b, stdout=dorp",
            [
                "'a=b': unknown action 'b' (drop, pass, parse, or a level as notice) at character 3",
                "'stdout=dorp': unknown action 'dorp' at character 13; did you mean 'drop'?",
            ]
        ),
        ("Noisy=off", ["'Noisy=off': unknown action 'off' at character 7; did you mean 'drop'?"]),
        (
            "Noisy=8",
            [
                "'Noisy=8': unknown action '8' (drop, pass, parse, or a level as notice) at character 7"
            ]
        ),
        ("Noisy=", ["'Noisy=': an action is missing at character 6"]),
        ("Noisy", ["'Noisy': an action is missing at character 5; did you mean 'Noisy=drop'?"]),
        ("info", ["'info': a key is missing at character 1; did you mean '*=info'?"]),
        ("=info", ["'=info': a key is missing at character 1"]),
        ("~=info", ["'~=info': an origin is missing at character 1"]),
        (
            "stdot=info",
            ["'stdot=info': unknown stream 'stdot' at character 1; did you mean 'stdout'?"]
        ),
        (
            "STDERR=info",
            ["'STDERR=info': unknown stream 'STDERR' at character 1; did you mean 'stderr'?"]
        ),
        (
            "descriptor.stdin=info",
            [
                "'descriptor.stdin=info': unknown stream 'descriptor.stdin' at character 1;"
                    + " did you mean 'descriptor.stdout'?"
            ]
        ),
        (
            "a=parse:inof",
            ["'a=parse:inof': unknown level 'inof' at character 9; did you mean 'info'?"]
        ),
        ("a=parse:", ["'a=parse:': a level is missing at character 8"]),
        (
            "a=parse?colapse=30s",
            [
                "'a=parse?colapse=30s': unknown option 'colapse' at character 9; did you mean 'collapse'?"
            ]
        ),
        (
            "a=info?x=1",
            ["'a=info?x=1': unknown option 'x' (collapse=30s) at character 8"]
        ),
        (
            "a=info?collapse",
            [
                "'a=info?collapse': collapse is a time, as 30s: a whole number of s, m or h, 24h at most at character 15"
            ]
        ),
        (
            "a=info?collapse=25h",
            [
                "'a=info?collapse=25h': collapse is a time, as 30s: a whole number of s, m or h, 24h at most at character 17"
            ]
        ),
        (
            "a=drop?collapse=30s",
            [
                "'a=drop?collapse=30s': option 'collapse=30s' is for lines that are logged at character 8"
            ]
        ),
        (
            "a=info;b=drop",
            ["'a=info;b=drop': entries are separated by ',' and not by ';' at character 3"]
        ),
        ("a;b=drop", ["'a;b=drop': entries are separated by ',' and not by ';' at character 1"]),
        ("a b=drop", ["'a b=drop': entries are separated by ',' at character 1"]),
        (
            "a=drop,a=info",
            ["'a=info': an entry for the same lines comes before, and applies at character 8"]
        ),
        (
            "*=drop,*=info",
            ["'*=info': an entry for the same lines comes before, and applies at character 8"]
        ),
        ("off,a=drop", ["'off': 'off' stands alone at character 1"]),
        ("/a(/=drop", ["'/a(/=drop': invalid regular expression: expected ')' at character 2"]),
        (
            "/(?<=a)b/=drop",
            [
                "'/(?<=a)b/=drop': invalid regular expression: lookbehind is not currently supported at character 2"
            ]
        ),
        ("//=drop", ["'//=drop': an expression is missing at character 1"]),
        (#"""=drop"#, [#"'""=drop': a text is missing at character 1"#]),
        ("/a=drop,b=info", ["'/a=drop': a '/' is missing at character 8"]),
        (#""a=drop"#, [#"'"a=drop': a '"' is missing at character 7"#]),
        ("/a/", ["'/a/': an action is missing at character 3"]),
        ("/a/i=drop", ["'/a/i=drop': a '=' is missing at character 4"]),
        ("/a/=", ["'/a/=': an action is missing at character 4"]),
        ("/a/ x,b=drop", ["'/a/ x': a '=' is missing at character 5"]),
        (
            #"a=drop,/\q/=info"#,
            [
                #"'/\q/=info': invalid regular expression: invalid escape sequence '\q' at character 9"#
            ]
        ),
    ]

    @Test(arguments: problems)
    func `what is not understood is told by place`(text: String, problems: [String]) {
        #expect(parse(text).problems == problems)
    }

    @Test
    func `the rest of a value with a problem applies`() throws {
        let (settings, problems) = parse("stdout=inof,/(/=drop,Noisy=drop")

        #expect(problems.count == 2)
        #expect(settings?.rules.count == 1)
    }

    @Test
    func `a hostile expression is a problem and no crash`() {
        for mark in ["(", "[", "(?:a|", "a{", "\\", "*", "(?<a>", "\u{0}", "\u{1B}[2J"] {
            let long = String(repeating: mark, count: 1_024 / mark.utf8.count)
            _ = parse("/\(long)/=drop")
            #expect(parse("/\(long)\(long)/=drop").problems.count == 1)
        }
        let control = parse("/(\u{1B}[2J/=drop,\u{1B}=\u{7}").problems
        #expect(control.allSatisfy { $0.unicodeScalars.allSatisfy { $0.value >= 0x20 } })
    }

    @Test
    func `any value is read`() {
        let pieces = [
            "stdout", "stderr", "descriptor", ".", "=", ",", "/", "\\", "\"", "*", "drop", "parse",
            ":",
            "info", "off", " ", "~", "a", "é", "\u{301}", "(", "[", ";", "\t",
        ]
        var generator = SeededRandom(seed: 6)
        for _ in 0..<5_000 {
            let count = Int.random(in: 0...12, using: &generator)
            let text = (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }
                .joined()
            let (settings, problems) = parse(text)
            let entryCount = text.utf8.count { $0 == UInt8(ascii: ",") } + 1
            #expect(problems.count + (settings?.rules.count ?? 0) <= entryCount, "\(text)")
        }
    }
}
