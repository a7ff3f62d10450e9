// swift-tools-version:6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let winnow: Target.Dependency = .product(name: "Winnow", package: "winnow")

let package = Package(
    name: "Examples",
    dependencies: [
        .package(name: "winnow", path: "..", traits: [.defaults, "SwiftLog"]),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    ],
    targets: [
        .executableTarget(name: "QuickStart", dependencies: [winnow]),
        .executableTarget(
            name: "Service",
            dependencies: [
                winnow,
                .product(name: "WinnowSwiftLog", package: "winnow"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                "NoisyLibrary",
            ]
        ),
        .target(name: "NoisyLibrary"),
    ]
)
