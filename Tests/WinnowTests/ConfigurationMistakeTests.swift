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
