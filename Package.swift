// swift-tools-version:6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// The settings of every Swift target.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
    .enableUpcomingFeature("ExistentialAny"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
    .enableUpcomingFeature("InternalImportsByDefault"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
    .enableUpcomingFeature("MemberImportVisibility"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0458-strict-memory-safety.md
    .strictMemorySafety(),
]

/// Declares one floor, which may import only the floors that it names.
///
/// The bodies of the log statements are in the floors, but no statement is: see CWinnowStatement.h.
func floor(_ name: String, imports: [Target.Dependency] = []) -> Target {
    .target(
        name: name,
        dependencies: imports,
        cSettings: [.define("CWINNOW_WITHIN")],
        swiftSettings: settings
    )
}

/// Declares the tests of one floor.
func tests(of name: String, imports: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: "\(name)Tests",
        dependencies: [.byName(name: name), "Support"] + imports,
        swiftSettings: settings
    )
}

/// The swift-log API, which only a build with the trait `SwiftLog` fetches and compiles.
let swiftLog: Target.Dependency = .product(
    name: "Logging",
    package: "swift-log",
    condition: .when(traits: ["SwiftLog"])
)

/// The reader of the journal, which only a build with the trait `Systemd` has.
let store: Target.Dependency = .target(
    name: "WinnowStore",
    condition: .when(traits: ["Systemd"])
)

/// The recovery of what a dead process has left, which only a build with the trait `Recorder` has.
let recovery: Target.Dependency = .target(
    name: "WinnowRecovery",
    condition: .when(traits: ["Recorder"])
)

/// The redirect, which only a build with the trait `Redirect` has.
let redirect: Target.Dependency = .target(
    name: "WinnowRedirect",
    condition: .when(traits: ["Redirect"])
)

/// Syslog over the network, which only a build with the trait `Network` has.
let network: Target.Dependency = .target(
    name: "WinnowNetwork",
    condition: .when(traits: ["Network"])
)

/// The traits that set the floor of all log statements of a program, for applications only: see
/// `Level.staticMaximum`.
let floorTraits: Set<Trait> = Set(
    ["Debug", "Info", "Notice", "Warning", "Error", "Critical", "Alert", "Emergency"].map {
        .trait(
            name: "MaxLogLevel\($0)",
            description: "Strips the log statements that are less severe than \($0.lowercased())."
        )
    }
        + [.trait(name: "MaxLogLevelNone", description: "Strips all log statements.")]
)

let package = Package(
    name: "Winnow",
    products: [
        .library(name: "Winnow", targets: ["Winnow"]),
        .library(name: "WinnowSwiftLog", targets: ["WinnowSwiftLog"]),
        .library(name: "WinnowTesting", targets: ["WinnowTesting"]),
    ],
    traits: floorTraits.union([
        .trait(
            name: "SwiftLog",
            description: "Fetches swift-log and builds WinnowSwiftLog, the backend for it."
        ),
        .trait(
            name: "Systemd",
            description: "Builds LogStore, which reads the journal; needs libsystemd at run time."
        ),
        .trait(
            name: "Redirect",
            description: "Builds Redirect, which drops, passes or logs what other code prints."
        ),
        .trait(
            name: "Network",
            description: "Builds NetworkSyslogSink, which sends records to a server of syslog."
        ),
        .trait(
            name: "Recorder",
            description: "Keeps accepted records in memory beyond the end of the process."
        ),
        .default(enabledTraits: ["Network", "Recorder", "Redirect", "Systemd"]),
    ]),
    dependencies: [
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    ],
    targets: [
        // Floor 0: what only C can say. Its state is a thread's, a category's, or the process's own:
        // the handlers of signals, the table of rings, what the hooks of the redirect have replaced.
        .target(name: "CWinnow"),
        .target(name: "CSystemd"),
        .target(name: "CZlib"),
        .target(name: "COpenSSL"),
        .target(name: "CWinnowRedirect", dependencies: ["CWinnow"]),
        // Floor 1: the values of logging.
        floor("WinnowCore", imports: ["CWinnow"]),
        // Floor 2: the way of a record to its sinks, and its bytes.
        floor("WinnowPipeline", imports: ["WinnowCore", "CWinnow"]),
        floor("WinnowFormatters", imports: ["WinnowCore", "CWinnow"]),
        // Floor 3: the destinations.
        floor(
            "WinnowSinks",
            imports: ["WinnowCore", "WinnowFormatters", "CZlib", "CWinnow"]
        ),
        floor(
            "WinnowNetwork",
            imports: ["WinnowCore", "WinnowFormatters", "WinnowSinks", "COpenSSL", "CWinnow"]
        ),
        floor(
            "WinnowRedirect",
            imports: ["WinnowCore", "WinnowPipeline", "CWinnowRedirect", "CWinnow"]
        ),
        floor("WinnowStore", imports: ["WinnowCore", "WinnowFormatters", "CSystemd", "CWinnow"]),
        floor("WinnowRecovery", imports: ["WinnowCore", "WinnowPipeline", "CWinnow"]),
        // Floor 4: the one import that users write.
        floor(
            "Winnow",
            imports: [
                "WinnowCore", "WinnowPipeline", "WinnowFormatters", "WinnowSinks", "CWinnow",
                network, recovery, redirect, store,
            ]
        ),
        // Floor 5: products of their own.
        floor("WinnowSwiftLog", imports: ["Winnow", "WinnowCore", swiftLog]),
        floor(
            "WinnowTesting",
            imports: ["Winnow", "WinnowCore", "WinnowPipeline", "WinnowSinks", "CWinnow"]
        ),
        // The tool, without a product: its automatic one, and swift-argument-parser with it, are
        // nothing that a package which depends on Winnow fetches or builds.
        .target(name: "CWinnowInspection", dependencies: ["CWinnow"]),
        floor(
            "WinnowInspection",
            imports: [
                "WinnowCore", "WinnowFormatters", "WinnowRecovery", "CWinnow", "CWinnowInspection",
                "CZlib",
            ]
        ),
        .executableTarget(
            name: "winnow",
            dependencies: [
                "Winnow", "WinnowCore", "WinnowInspection", "WinnowPipeline", "WinnowRecovery",
                "WinnowStore",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Sources/WinnowTool",
            swiftSettings: settings
        ),

        // What the tests share.
        .target(
            name: "Support",
            dependencies: ["WinnowCore", "WinnowPipeline"],
            path: "Tests/Support",
            swiftSettings: settings
        ),
        tests(of: "WinnowCore", imports: ["WinnowTesting"]),
        tests(of: "WinnowPipeline", imports: ["WinnowCore", "Winnow", "CWinnow"]),
        tests(of: "WinnowFormatters", imports: ["WinnowCore", "WinnowNetwork", "WinnowTesting"]),
        tests(
            of: "WinnowSinks",
            imports: [
                "WinnowCore", "WinnowFormatters", "WinnowNetwork", "WinnowTesting", "CWinnow",
            ]
        ),
        tests(
            of: "WinnowRedirect",
            imports: [
                "WinnowCore", "WinnowTesting", "CWinnowRedirect", "OriginProbe", "NoisyC",
                "NoisyCxx",
                "NoisySwift",
            ]
        ),
        tests(
            of: "WinnowRecovery",
            imports: [
                "Winnow", "WinnowCore", "WinnowPipeline", "WinnowFormatters", "WinnowTesting",
                "CWinnow",
            ]
        ),
        tests(of: "WinnowStore", imports: ["Winnow", "WinnowCore", "CSystemd", "LogProgram"]),
        tests(
            of: "WinnowTesting",
            imports: ["Winnow", "WinnowCore", "WinnowFormatters", "WinnowSinks"]
        ),
        tests(
            of: "Winnow",
            imports: [
                "WinnowCore", "WinnowPipeline", "WinnowNetwork", "WinnowRedirect", "WinnowTesting",
            ]
        ),
        tests(of: "WinnowSwiftLog", imports: ["Winnow", "WinnowPipeline", swiftLog]),
        // Third-party modules that print, as a package has them, and what tells whose call it is.
        .target(
            name: "OriginProbe",
            dependencies: ["CWinnowRedirect"],
            path: "Tests/Noise/Sources/OriginProbe"
        ),
        .target(
            name: "NoisyC",
            dependencies: ["OriginProbe"],
            path: "Tests/Noise/Sources/NoisyC"
        ),
        .target(
            name: "NoisyCxx",
            dependencies: ["OriginProbe"],
            path: "Tests/Noise/Sources/NoisyCxx"
        ),
        .target(
            name: "NoisySwift",
            dependencies: ["OriginProbe"],
            path: "Tests/Noise/Sources/NoisySwift",
            swiftSettings: settings
        ),
        // A program that logs what its arguments say, for tests that need a process of their own.
        .executableTarget(
            name: "LogProgram",
            dependencies: ["Winnow", "NoisySwift"],
            path: "Tests/LogProgram",
            swiftSettings: settings
        ),
        // A program that prints what its arguments say, by way of these.
        .executableTarget(
            name: "PrintProgram",
            dependencies: ["Winnow", "NoisyC", "NoisyCxx", "NoisySwift"],
            path: "Tests/PrintProgram",
            swiftSettings: settings
        ),
        tests(
            of: "WinnowInspection",
            imports: ["WinnowCore", "WinnowFormatters", "WinnowTesting", "CWinnow"]
        ),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "Winnow", "WinnowCore", "WinnowPipeline", "WinnowFormatters", "WinnowSinks",
                "WinnowNetwork", "WinnowTesting", "WinnowInspection", "CWinnow", "Support",
                "LogProgram", "PrintProgram", "winnow",
            ],
            swiftSettings: settings
        ),
    ],
    cLanguageStandard: .c17
)

// What `Fuzz/run` builds: without its fuzzer there is no main.
if Context.environment["WINNOW_FUZZ"] != nil {
    package.targets += [
        .target(
            name: "Changes",
            path: "Fuzz/Changes",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "ControlPageReader",
            dependencies: ["Changes", "WinnowInspection", "WinnowCore", "CWinnow"],
            path: "Fuzz/ControlPageReader",
            swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])]
        ),
        .executableTarget(
            name: "RecordedFileReader",
            dependencies: [
                "Changes", "WinnowRecovery", "WinnowPipeline", "WinnowFormatters", "WinnowCore",
                "WinnowTesting", "CWinnow",
            ],
            path: "Fuzz/RecordedFileReader",
            swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])]
        ),
        .executableTarget(
            name: "ControlledProcess",
            dependencies: [
                "Changes", "Winnow", "WinnowCore", "WinnowPipeline", "WinnowFormatters",
                "WinnowSinks", "CWinnow", "CWinnowInspection",
            ],
            path: "Fuzz/ControlledProcess",
            swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])]
        ),
    ]
}
