// swift-tools-version:6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// The programs that `Benchmarks/faults` runs: each logs through one logger as it is told on its
/// standard input, see `CCalls.h`.
///
/// A package of its own, as it does not build without the loggers in C and C++.
let package = Package(
    name: "FaultCalls",
    dependencies: [
        .package(name: "winnow", path: "../.."),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    ],
    targets: [
        .target(name: "CCalls"),
        .executableTarget(
            name: "WinnowCalls",
            dependencies: [.product(name: "Winnow", package: "winnow"), "CCalls"]
        ),
        .executableTarget(
            name: "SwiftLogCalls",
            dependencies: [.product(name: "Logging", package: "swift-log"), "CCalls"]
        ),
        .executableTarget(
            name: "SpdlogCalls",
            dependencies: ["CCalls", "CSystemdJournal"],
            // For fmt, of which Debian's spdlog has none of its own.
            linkerSettings: [.linkedLibrary("m")]
        ),
        .executableTarget(name: "SystemdCalls", dependencies: ["CCalls", "CSystemdJournal"]),
        .systemLibrary(
            name: "CSystemdJournal",
            pkgConfig: "libsystemd",
            providers: [.apt(["libsystemd-dev"])]
        ),
    ],
    cLanguageStandard: .c17,
    cxxLanguageStandard: .cxx17
)
