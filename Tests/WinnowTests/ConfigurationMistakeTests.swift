// SPDX-License-Identifier: Apache-2.0

import Testing
import Winnow

/// Mistakes in the environment that are often made.
struct ConfigurationMistakeTests {
    /// Mistakes whose cause is known, and what is said of them.
    static let knownMistakes: [(variable: String, value: String, text: String)] = [
        ("WINNOW_LOG", "verbose", "unknown level 'verbose' at character 1; did you mean 'debug'?"),
        ("LOG_LEVEL", "FATAL", "unknown level 'FATAL' at character 1; did you mean 'critical'?"),
        (
            "WINNOW_LOG", "net:debug",
            "unknown level 'net:debug' at character 1; did you mean 'net=debug'?"
        ),
        (
            "WINNOW_SINKS", "stderr file:/x",
            "unknown sink 'stderr file': entries are separated by ',' at character 1"
        ),
        (
            "WINNOW_SINKS", "stderr;journald",
            "unknown sink 'stderr;journald': entries are separated by ',' at character 1"
        ),
        (
            "WINNOW_SINKS", "keep=5",
            "unknown sink 'keep=5': the options of a sink are joined by '&' at character 1"
        ),
        (
            "WINNOW_SINKS", "stderr?format=json@info",
            "the levels, '@info', stand before the '?' at character 19"
        ),
        (
            "WINNOW_SINKS", "file:/x?rotate=10",
            "invalid value '10' of option 'rotate' (bytes as 10M, from 1K, hourly or daily, start; "
                + "joined by '+') at character 16"
        ),
        (
            "WINNOW_FORMAT", "{time} {message}",
            "unknown format '{time} {message}' at character 1; did you mean "
                + "'pattern:{time} {message}'?"
        ),
        ("WINNOW_FORMAT", "pattern:{level}", "no '{message}' in the pattern at character 9"),
        (
            "WINNOW_FORMAT", "pattern:%d %m",
            "no '{message}' in the pattern; names stand in braces at character 9"
        ),
        (
            "WINNOW_REDIRECT", "Noisy:drop",
            "an action is missing at character 10; did you mean 'Noisy=drop'?"
        ),
        ("WINNOW_REDIRECT", "on", "an action is missing at character 2; did you mean '*=notice'?"),
    ]

    @Test(arguments: knownMistakes)
    func `what was meant by a known mistake is told`(
        mistake: (variable: String, value: String, text: String)
    ) {
        let problems = resolve([mistake.variable: mistake.value]).problems
        #expect(problems == ["\(mistake.variable): '\(mistake.value)': \(mistake.text)"])
    }

    /// Values with bytes that are no text, for which a decoder puts U+FFFD, and where those are.
    static let undecoded: [(variable: String, value: String, entry: String, position: Int)] = [
        ("WINNOW_SINKS", "stdout,file:/caf\u{FFFD}.log", "file:/caf\u{FFFD}.log", 17),
        ("WINNOW_SINKS", "stdout,syslog:/\u{FFFD}", "syslog:/\u{FFFD}", 16),
        (
            "WINNOW_SINKS", "stdout,file:/a?rotate=1M&link=\u{FFFD}",
            "file:/a?rotate=1M&link=\u{FFFD}", 31
        ),
        ("WINNOW_LOG", "info,caf\u{FFFD}=debug", "caf\u{FFFD}=debug", 9),
        ("WINNOW_REDIRECT", "stdout=info,\"\u{FFFD}\"=drop", "\"\u{FFFD}\"=drop", 14),
        ("WINNOW_IDENTIFIER", "caf\u{FFFD}", "caf\u{FFFD}", 4),
        ("WINNOW_FORMAT", "pattern:{message}\u{FFFD}", "pattern:{message}\u{FFFD}", 18),
    ]

    @Test(arguments: undecoded)
    func `what is not UTF-8 is refused, and the rest applies`(
        mistake: (variable: String, value: String, entry: String, position: Int)
    ) {
        let (configuration, problems) = resolve([mistake.variable: mistake.value])
        #expect(
            problems == [
                "\(mistake.variable): '\(mistake.entry)': it is not UTF-8 at character \(mistake.position)"
            ]
        )
        #expect(configuration.identifier == "prog")
        #expect(configuration.format == .text)
        let isOfSinks = mistake.variable == "WINNOW_SINKS"
        #expect(configuration.routes.map(\.description) == (isOfSinks ? ["stdout"] : []))
        let isOfFilter = mistake.variable == "WINNOW_LOG"
        #expect(configuration.filter.description == (isOfFilter ? "info" : "notice"))
        #expect(configuration.redirect?.rules.count == (isOfRedirect(mistake.variable) ? 1 : nil))
    }

    private func isOfRedirect(_ variable: String) -> Bool { variable == "WINNOW_REDIRECT" }

    /// What a container is given for a service of the cluster with one port.
    private func variables(ofService name: String) -> [String: String] {
        let port = "\(name)_PORT_8080_TCP"
        return [
            "\(name)_SERVICE_HOST": "10.0.0.1", "\(name)_SERVICE_PORT": "8080",
            "\(name)_SERVICE_PORT_HTTP": "8080", "\(name)_PORT": "tcp://10.0.0.1:8080",
            port: "tcp://10.0.0.1:8080", "\(port)_PROTO": "tcp", "\(port)_PORT": "8080",
            "\(port)_ADDR": "10.0.0.1",
        ]
    }

    @Test
    func `the variables of a service of the cluster are one line`() {
        #expect(
            resolve(variables(ofService: "WINNOW")).problems
                == ["WINNOW_*: 8 variables of a service 'winnow' are ignored"]
        )
        var others = variables(ofService: "WINNOW_LOG").merging(variables(ofService: "WINNOW")) {
            $1
        }
        others["WINNOW_PORTS"] = "1"
        others["WINNOW_LOG"] = "debug"
        let (configuration, problems) = resolve(others)
        #expect(configuration.filter.description == "debug")
        #expect(
            problems == [
                "WINNOW_*: 8 variables of a service 'winnow' are ignored",
                "WINNOW_LOG_*: 8 variables of a service 'winnow-log' are ignored",
                "WINNOW_PORTS: no such variable",
            ]
        )
    }

    @Test
    func `a variable that only looks like a service's is named`() {
        #expect(resolve(["WINNOW_PORT": "8080"]).problems == ["WINNOW_PORT: no such variable"])
    }

    @Test
    func `quotation marks around a value are left out, and told`() {
        let (configuration, problems) = resolve([
            "WINNOW_LOG": #""error,net=debug""#, "WINNOW_IDENTIFIER": "'myapp'",
            "WINNOW_REDIRECT": #""a"=drop,"b"=drop"#,
        ])
        #expect(configuration.filter.description == "error,net=debug")
        #expect(configuration.identifier == "myapp")
        let reason = "the quotation marks are a part of the value, and are left out"
        #expect(
            problems == [
                #"WINNOW_LOG: '"error,net=debug"': \#(reason)"#,
                "WINNOW_IDENTIFIER: ''myapp'': \(reason)",
            ]
        )
    }
}
