// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// A shared object of C, for the program to load.
enum SharedObject {
    /// Compiles C to a shared object with the compiler that Swift brings along.
    static func compile(_ source: String, to path: String, _ options: [String] = []) throws {
        let file = "\(path).c"
        try source.write(toFile: file, atomically: true, encoding: .utf8)
        _ = try run(["clang", "-shared", "-fPIC", "-O0", "-o", path, file] + options)
    }

    /// Runs a tool, and returns what it says.
    private static func run(_ words: [String]) throws -> String {
        let outcome = try Program.run(
            words,
            environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? ""],
            executable: "/usr/bin/env"
        )
        try #require(outcome.status == 0, "\(outcome.stderr)")
        return outcome.stdout
    }

    /// Returns all names under which libc exports a function, in their order.
    static func namesInLibc(of function: String) throws -> [String] {
        let libc = try run(["clang", "-print-file-name=libc.so.6"]).filter { !$0.isNewline }
        let symbols = try run(["llvm-nm", "-D", "--defined-only", libc])
        var names: [Substring: [String]] = [:]
        for line in symbols.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 3, let name = words[2].split(separator: "@").first else {
                continue
            }
            names[words[0], default: []].append(String(name))
        }
        return names.values.first { $0.contains(function) }?.sorted() ?? []
    }
}
