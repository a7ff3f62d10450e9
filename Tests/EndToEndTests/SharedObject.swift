// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// A shared object of C, for the program to load.
enum SharedObject {
    /// Compiles C to a shared object with the compiler that Swift brings along.
    static func compile(_ source: String, to path: String, _ options: [String] = []) throws {
        let file = "\(path).c"
        try source.write(toFile: file, atomically: true, encoding: .utf8)
        let outcome = try Program.run(
            ["clang", "-shared", "-fPIC", "-O0", "-o", path, file] + options,
            environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? ""],
            executable: "/usr/bin/env"
        )
        try #require(outcome.status == 0, "\(outcome.stderr)")
    }
}
