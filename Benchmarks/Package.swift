// swift-tools-version:6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let package = Package(
    name: "Benchmarks",
    dependencies: [
        .package(name: "winnow", path: ".."),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    ],
    targets: [
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                .product(name: "Winnow", package: "winnow"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                "CMeter",
                "CPeers",
            ]
        ),
        // The clock, the counter of allocations, and what else only C can say.
        .target(name: "CMeter"),
        // The loggers in C and C++. Where a package is missing they are built without it.
        .target(name: "CPeers", dependencies: ["CSystemdJournal"]),
        .systemLibrary(
            name: "CSystemdJournal",
            pkgConfig: "libsystemd",
            providers: [.apt(["libsystemd-dev"])]
        ),
    ],
    cLanguageStandard: .c17,
    cxxLanguageStandard: .cxx17
)
