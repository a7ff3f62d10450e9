// swift-tools-version:6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let winnow: Target.Dependency = .product(name: "Winnow", package: "winnow")

/// A product of the package of modules that print.
func noisy(_ name: String) -> Target.Dependency {
    .product(name: name, package: "NoisyParts")
}

let package = Package(
    name: "Examples",
    dependencies: [
        .package(name: "winnow", path: "..", traits: [.defaults, "SwiftLog"]),
        .package(path: "NoisyParts"),
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
                noisy("NoisyNet"),
            ]
        ),
        .executableTarget(
            name: "Quiet",
            dependencies: [winnow, noisy("NoisyNet"), noisy("NoisyCodec"), noisy("NoisyRender")]
        ),
        .executableTarget(
            name: "OwnSink",
            dependencies: [winnow, .product(name: "WinnowTesting", package: "winnow")]
        ),
        .executableTarget(
            name: "ReadPage",
            dependencies: [winnow, "CLibXML2"],
            exclude: ["page.html"]
        ),
        .systemLibrary(
            name: "CLibXML2",
            pkgConfig: "libxml-2.0",
            providers: [.apt(["libxml2-dev", "pkgconf"])]
        ),
    ]
)
