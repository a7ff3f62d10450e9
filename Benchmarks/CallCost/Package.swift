// swift-tools-version:6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// A package of its own, so that CI builds nothing of the peers for it.
let package = Package(
    name: "CallCost",
    dependencies: [
        .package(name: "winnow", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "CallCost",
            dependencies: [.product(name: "Winnow", package: "winnow")]
        )
    ]
)
