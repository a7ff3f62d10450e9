// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import Winnow
import WinnowCore

/// Resolves with the variables of a dictionary, for the program `prog`.
func resolve(
    _ variables: [String: String],
    _ configuration: Winnow.Configuration = .init(),
    floor: Int32 = 7,
    hasOtherStatements: Bool = false
) -> (configuration: ResolvedConfiguration, problems: [String]) {
    let ownNames = variables.keys.filter { $0.hasPrefix("WINNOW_") }
    let environment = Environment(ownNames: ownNames) { variables[$0] }
    let (resolved, problems) = ResolvedConfiguration.resolve(
        configuration,
        in: environment,
        program: "prog",
        floor: floor,
        hasOtherStatements: hasOtherStatements
    )
    return (resolved, problems.map(\.description))
}

/// The levels as they are told to who wrote another one.
private let levels = "(emergency, alert, critical, error, warning, notice, info, debug)"

/// Gives the process these variables and no others; not safe beside other threads.
private func replaceEnvironment(with variables: [(name: String, value: String)]) {
    clearenv()
    for (name, value) in variables {
        unsafe setenv(name, value, 1)
    }
}

struct ConfigurationEnvironmentTests {
    @Test
    func `nothing configured gives the defaults`() {
        let (configuration, problems) = resolve([:])

        #expect(problems == [])
        #expect(configuration.identifier == "prog")
        #expect(configuration.facility == .user)
        #expect(configuration.routes.isEmpty)
        #expect(configuration.filter.description == "notice")
        #expect(configuration.privacy == .redact)
        #expect(configuration.format == .text)
        #expect(configuration.color == .auto)
    }

    static let code = Winnow.Configuration(
        identifier: "coded",
        facility: .daemon,
        routes: [.journald(levels: .upTo(.error)), .file("/var/log/coded.log")],
        filter: "info,net=debug",
        format: .logfmt,
        privacy: .hash
    )

    @Test
    func `an empty environment leaves the code's configuration`() {
        let empty = ["WINNOW_LOG": "", "WINNOW_SINKS": "", "WINNOW_PRIVATE": "", "LOG_LEVEL": ""]
        let (configuration, problems) = resolve(empty, ConfigurationEnvironmentTests.code)

        #expect(problems == [])
        #expect(configuration.identifier == "coded")
        #expect(configuration.facility == .daemon)
        #expect(configuration.routes.map(\.description) == ["journald", "file:/var/log/coded.log"])
        #expect(configuration.filter.description == "info,net=debug")
        #expect(configuration.privacy == .hash)
        #expect(configuration.format == .logfmt)
    }

    @Test
    func `the environment overrides the code`() {
        let (configuration, problems) = resolve(
            [
                "WINNOW_LOG": "error", "WINNOW_SINKS": "stderr", "WINNOW_FORMAT": "JSON",
                "WINNOW_COLOR": "never", "WINNOW_IDENTIFIER": "envy", "WINNOW_FACILITY": "local7",
                "WINNOW_PRIVATE": "show",
            ],
            ConfigurationEnvironmentTests.code
        )

        #expect(problems == [])
        #expect(configuration.identifier == "envy")
        #expect(configuration.facility == .local7)
        #expect(configuration.routes.map(\.description) == ["stderr"])
        #expect(configuration.filter.description == "error")
        #expect(configuration.privacy == .show)
        #expect(configuration.format == .json)
        #expect(configuration.color == .never)
    }

    @Test
    func `a pattern of the environment is as it stands, but for its name's case`() {
        let (configuration, problems) = resolve(
            ["WINNOW_FORMAT": "Pattern: {Time:SEC.3} %41 {message}, a:b@c "],
            ConfigurationEnvironmentTests.code
        )

        #expect(problems == [])
        #expect(configuration.format == .pattern("{Time:SEC.3} %41 {message}, a:b@c"))
        #expect(configuration.routes.map(\.format) == [configuration.format, configuration.format])
    }

    @Test
    func `an ignored environment changes nothing and has no problems`() {
        var code = ConfigurationEnvironmentTests.code
        code.environment = .ignored
        let (configuration, problems) = resolve(
            ["WINNOW_LOG": "debgu", "WINNOW_SINKS": "stderr", "NO_COLOR": "1", "WINNOW_X": "1"],
            code
        )

        #expect(problems == [])
        #expect(configuration.routes.map(\.description) == ["journald", "file:/var/log/coded.log"])
        #expect(configuration.filter.description == "info,net=debug")
        #expect(configuration.color == .auto)
    }

    static let filters: [(variables: [String: String], filter: String)] = [
        (["WINNOW_LOG": "error", "LOG_LEVEL": "debug", "DEBUG_INVOCATION": "1"], "error"),
        (["LOG_LEVEL": "trace", "DEBUG_INVOCATION": "1"], "debug"),
        (["LOG_LEVEL": "Critical"], "critical"),
        (["LOG_LEVEL": " 3 "], "error"),
        (["DEBUG_INVOCATION": "1"], "debug"),
        (["DEBUG_INVOCATION": "yes"], "debug"),
        (["DEBUG_INVOCATION": "0"], "info,net=debug"),
        // A default that the environment does not name stays the code's; all else goes.
        (["WINNOW_LOG": "db=debug"], "info,db=debug"),
        (["WINNOW_LOG": "warning,db=debug"], "warning,db=debug"),
        (["WINNOW_LOG": "warning,db=debug", "LOG_LEVEL": "loud"], "warning,db=debug"),
        (["WINNOW_LOG": "db=debug", "LOG_LEVEL": "error"], "error,db=debug"),
        (["WINNOW_LOG": "db=info", "DEBUG_INVOCATION": "1"], "debug,db=info"),
    ]

    @Test(arguments: filters)
    func `WINNOW_LOG comes before LOG_LEVEL, DEBUG_INVOCATION and the code`(
        variables: [String: String],
        filter: String
    ) {
        let (configuration, problems) = resolve(variables, ConfigurationEnvironmentTests.code)

        #expect(problems == [])
        #expect(configuration.filter.description == filter)
    }

    private static let policies =
        "(drop, or as block=50ms a whole number from 1 to 4294967296 of us, ms or s)"

    static let problems: [(variables: [String: String], problem: String)] = [
        (
            ["WINNOW_LOG": "net=debgu"],
            "WINNOW_LOG: 'net=debgu': unknown level 'debgu' at character 5; did you mean 'debug'?"
        ),
        (["LOG_LEVEL": "loud"], "LOG_LEVEL: 'loud': unknown level 'loud' \(levels) at character 1"),
        (
            ["LOG_LEVEL": "error|debug"],
            "LOG_LEVEL: 'error|debug': unknown level 'error|debug' \(levels) at character 1"
        ),
        (
            ["WINNOW_FORMAT": "jsno"],
            "WINNOW_FORMAT: 'jsno': unknown format 'jsno' at character 1; did you mean 'json'?"
        ),
        (
            ["WINNOW_FORMAT": "yaml"],
            "WINNOW_FORMAT: 'yaml': unknown format 'yaml' (text, json, logfmt, pattern) at character 1"
        ),
        (
            ["WINNOW_FORMAT": "pattern"],
            "WINNOW_FORMAT: 'pattern': unknown format 'pattern' at character 1; did you mean 'pattern:'?"
        ),
        (
            ["WINNOW_FORMAT": " patern:{time}"],
            "WINNOW_FORMAT: 'patern:{time}': unknown format 'patern' at character 2; did you mean 'pattern:'?"
        ),
        (
            ["WINNOW_FORMAT": "pattern:{time} {mesage}"],
            "WINNOW_FORMAT: 'pattern:{time} {mesage}': unknown name 'mesage' at character 17;"
                + " did you mean 'message'?"
        ),
        (
            ["WINNOW_COLOR": " allways"],
            "WINNOW_COLOR: 'allways': unknown color 'allways' at character 2; did you mean 'always'?"
        ),
        (
            ["WINNOW_FACILITY": "lokal0"],
            "WINNOW_FACILITY: 'lokal0': unknown facility 'lokal0' at character 1; did you mean 'local0'?"
        ),
        (
            ["WINNOW_FACILITY": "12"],
            "WINNOW_FACILITY: '12': unknown facility '12' (\(Facility.choices)) at character 1"
        ),
        (
            ["WINNOW_IDENTIFIER": "my\napp"],
            #"WINNOW_IDENTIFIER: 'my\u{a}app': an identifier holds no control characters"#
        ),
        (
            ["WINNOW_PRIVATE": "shwo"],
            "WINNOW_PRIVATE: 'shwo': unknown policy 'shwo' at character 1; did you mean 'show'?"
        ),
        (["WINNOW_LOGS": "debug"], "WINNOW_LOGS: no such variable; did you mean 'WINNOW_LOG'?"),
        (["WINNOW_LEVELS_PLEASE": "1"], "WINNOW_LEVELS_PLEASE: no such variable"),
        (["WINNOW_LEVEL": "debug"], "WINNOW_LEVEL: no such variable; did you mean 'WINNOW_LOG'?"),
        (["WINNOW_\u{1B}": "1"], #"WINNOW_\u{1b}: no such variable"#),
        (
            ["WINNOW_DELIVERY": "defered"],
            "WINNOW_DELIVERY: 'defered': unknown delivery 'defered' at character 1; did you mean 'deferred'?"
        ),
        (
            ["WINNOW_OVERFLOW": "block"],
            "WINNOW_OVERFLOW: 'block': unknown policy 'block' \(policies) at character 1"
        ),
        (
            ["WINNOW_OVERFLOW": "block=0ms"],
            "WINNOW_OVERFLOW: 'block=0ms': unknown policy 'block=0ms' \(policies) at character 1"
        ),
        (
            ["WINNOW_OVERFLOW": "block=10m"],
            "WINNOW_OVERFLOW: 'block=10m': unknown policy 'block=10m' \(policies) at character 1"
        ),
        (
            ["WINNOW_OVERFLOW": "block=1.5s"],
            "WINNOW_OVERFLOW: 'block=1.5s': unknown policy 'block=1.5s' \(policies) at character 1"
        ),
        (
            ["WINNOW_OVERFLOW": "dorp"],
            "WINNOW_OVERFLOW: 'dorp': unknown policy 'dorp' at character 1; did you mean 'drop'?"
        ),
        (
            ["WINNOW_SIGNALS": "laft"],
            "WINNOW_SIGNALS: 'laft': unknown setting 'laft' at character 1; did you mean 'left'?"
        ),
        (
            ["WINNOW_QUEUE": "63K"],
            "WINNOW_QUEUE: '63K': invalid size '63K' (64K to 1024M) at character 1"
        ),
        (
            ["WINNOW_QUEUE": "1G"],
            "WINNOW_QUEUE: '1G': invalid size '1G' (64K to 1024M) at character 1"
        ),
        (
            ["WINNOW_QUEUE": "1025M"],
            "WINNOW_QUEUE: '1025M': invalid size '1025M' (64K to 1024M) at character 1"
        ),
        (["WINNOW_LOG": "-1"], "WINNOW_LOG: '-1': unknown level '-1' (0 to 7) at character 1"),
        (["LOG_LEVEL": "-1"], "LOG_LEVEL: '-1': unknown level '-1' \(levels) at character 1"),
        (
            ["WINNOW_REDIRECT": "stdout=inof"],
            "WINNOW_REDIRECT: 'stdout=inof': unknown action 'inof' at character 8; did you mean 'info'?"
        ),
        (
            ["WINNOW_SINKS": "stdrr"],
            "WINNOW_SINKS: 'stdrr': unknown sink 'stdrr' at character 1; did you mean 'stderr'?"
        ),
    ]

    @Test(
        arguments: [
            (["WINNOW_LOG": "debug"], 5, "WINNOW_LOG: 'debug'", " below notice", 7),
            (["WINNOW_LOG": "error,a=info"], 5, "WINNOW_LOG: 'error,a=info'", " below notice", 6),
            (["LOG_LEVEL": "WARN"], 3, "LOG_LEVEL: 'warning'", " below error", 4),
            (["WINNOW_LOG": "emergency"], -1, "WINNOW_LOG: 'emergency'", "", 0),
        ] as [([String: String], Int32, String, String, Int)]
    )
    func `a level whose statements are stripped is told`(
        variables: [String: String],
        floor: Int32,
        place: String,
        kept: String,
        level: Int
    ) {
        #expect(
            resolve(variables, floor: floor).problems == [
                "\(place): this build has no log statements\(kept), except in targets that set "
                    + "WINNOW_MAX_LEVEL; build it with -Xcc -DWINNOW_MAX_LEVEL=\(level) to have them"
            ]
        )
    }

    @Test
    func `that swift-log has statements of its own is told with it`() {
        let problems = resolve(["WINNOW_LOG": "debug"], floor: 5, hasOtherStatements: true).problems
        #expect(problems.count == 1)
        #expect(
            problems.first?.contains(
                "no log statements below notice, except those of swift-log and in targets"
            ) == true
        )
    }

    @Test(
        arguments: [
            ([:], -1), (["WINNOW_LOG": "notice"], 5), (["WINNOW_LOG": "a=error"], 4),
            (["WINNOW_LOG": "off"], -1), (["WINNOW_LOG": "debug"], 7),
            // systemd sets it, for whatever the program has to say.
            (["DEBUG_INVOCATION": "1"], 5),
            // What is printed is logged at any level.
            (["WINNOW_LOG": "debug", "WINNOW_REDIRECT": "*=debug"], 5),
        ] as [([String: String], Int32)]
    )
    func `a level that a build may have is no mistake`(
        variables: [String: String],
        floor: Int32
    ) {
        #expect(resolve(variables, floor: floor).problems == [])
    }

    @Test
    func `the variables of tests and empty ones are no mistake`() {
        #expect(resolve(["WINNOW_TEST_FOO": "1", "WINNOW_LOGS": ""]).problems == [])
    }

    @Test
    func `problems are told in the order of the variables`() {
        let (_, problems) = resolve([
            "WINNOW_ZZ": "1", "WINNOW_COLOR": "x", "WINNOW_LOG": "8,9", "WINNOW_AA": "1",
        ])

        #expect(
            problems == [
                "WINNOW_LOG: '8': unknown level '8' (0 to 7) at character 1",
                "WINNOW_LOG: '9': unknown level '9' (0 to 7) at character 3",
                "WINNOW_COLOR: 'x': unknown color 'x' (auto, always, never) at character 1",
                "WINNOW_AA: no such variable",
                "WINNOW_ZZ: no such variable",
            ]
        )
    }

    static let facilities: [(word: String, facility: Facility)] = [
        ("kern", .kernel), ("kernel", .kernel), ("0", .kernel), ("DAEMON", .daemon), ("3", .daemon),
        ("security", .auth), ("authpriv", .authpriv), ("local0", .local0), ("23", .local7),
    ]

    @Test(arguments: facilities)
    func `a facility is a name or a number`(word: String, facility: Facility) {
        #expect(resolve(["WINNOW_FACILITY": word]).configuration.facility == facility)
    }

    static let colors: [(variables: [String: String], color: Winnow.Color)] = [
        ([:], .auto),
        (["WINNOW_COLOR": "never", "FORCE_COLOR": "1"], .never),
        (["WINNOW_COLOR": "always", "NO_COLOR": "1"], .always),
        (["WINNOW_COLOR": "auto", "NO_COLOR": "1"], .never),
        (["FORCE_COLOR": "1", "NO_COLOR": "1"], .always),
        (["NO_COLOR": "1", "CLICOLOR_FORCE": "1"], .never),
        (["NO_COLOR": "", "CLICOLOR_FORCE": "1"], .always),
        (["NO_COLOR": ""], .auto),
        (["CLICOLOR_FORCE": "0"], .auto),
        (["FORCE_COLOR": "0"], .never),
        (["FORCE_COLOR": "false", "CLICOLOR_FORCE": "1"], .never),
        (["CLICOLOR": "0"], .never),
        (["CLICOLOR": "0", "CLICOLOR_FORCE": "1"], .always),
        (["CLICOLOR": "1"], .auto),
    ]

    @Test(arguments: colors)
    func `the variables of color have an order`(variables: [String: String], color: Winnow.Color) {
        #expect(resolve(variables).configuration.color == color)
    }

    @Test
    func `the process's own environment has no variable that is not set`() {
        let environment = Environment.ofProcess()

        #expect(environment["WINNOW_TEST_THAT_NOBODY_SETS"] == nil)
        #expect(environment.ownNames.allSatisfy { environment[$0] != nil })
    }

    @Test
    func `the process's own variables are found by their prefix`() async {
        await #expect(processExitsWith: .success) {
            replaceEnvironment(
                with: [
                    ("WINNOW_LOG", "debug=x"), ("WINNOWING", "1"), ("WINNOW_SINSK", "stderr"),
                    ("PATH", ""),
                ]
            )
            let environment = Environment.ofProcess()
            precondition(environment.ownNames.sorted() == ["WINNOW_LOG", "WINNOW_SINSK"])
            precondition(environment["WINNOW_LOG"] == "debug=x")
            precondition(environment["PATH"] == nil)
        }
    }

    @Test(
        arguments: [
            ([:], .immediate),
            (["WINNOW_DELIVERY": "deferred"], .deferred),
            (
                ["WINNOW_DELIVERY": "Deferred", "WINNOW_OVERFLOW": "drop", "WINNOW_QUEUE": "1m"],
                .deferred(overflow: .drop, queueByteCount: 1 << 20)
            ),
            (
                ["WINNOW_DELIVERY": "deferred", "WINNOW_OVERFLOW": "block=200us"],
                .deferred(overflow: .block(upTo: .microseconds(200)))
            ),
            (
                ["WINNOW_DELIVERY": "deferred", "WINNOW_QUEUE": "65536"],
                .deferred(queueByteCount: 65_536)
            ),
        ] as [([String: String], Winnow.Delivery)]
    )
    func `the environment decides on the delivery`(
        variables: [String: String],
        delivery: Winnow.Delivery
    ) {
        let (configuration, problems) = resolve(variables, Winnow.Configuration())

        #expect(problems.isEmpty)
        #expect(configuration.delivery == delivery)
    }

    @Test
    func `the environment changes the delivery of the code in part`() {
        let code = Winnow.Configuration(
            delivery: .deferred(overflow: .drop, queueByteCount: 1 << 20)
        )

        #expect(resolve(["WINNOW_DELIVERY": "immediate"], code).0.delivery.isDeferred == false)
        #expect(
            resolve(["WINNOW_QUEUE": "64K"], code).0.delivery
                == .deferred(overflow: .drop, queueByteCount: 65_536)
        )
    }
}
