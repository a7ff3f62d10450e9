// swift-tools-version:6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let package = Package(
    name: "NoisyParts",
    products: [
        .library(name: "NoisyNet", targets: ["NoisyNet"]),
        .library(name: "NoisyCodec", targets: ["NoisyCodec"]),
        .library(name: "NoisyRender", type: .dynamic, targets: ["NoisyRender"]),
    ],
    targets: [
        .target(name: "NoisyNet"),
        .target(name: "NoisyCodec"),
        .target(name: "NoisyRender"),
    ],
    cLanguageStandard: .c17,
    cxxLanguageStandard: .cxx17
)
