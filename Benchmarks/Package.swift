// swift-tools-version:6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let package = Package(
    name: "Benchmarks",
    dependencies: [
        .package(name: "winnow", path: "..")
    ],
    targets: [
        .executableTarget(
            name: "CallCost",
            dependencies: [.product(name: "Winnow", package: "winnow")]
        )
    ]
)
