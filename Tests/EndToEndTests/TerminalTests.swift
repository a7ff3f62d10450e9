// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// What a person sees in a terminal, which is a real pseudo-terminal here.
struct TerminalTests {
    /// What a program with standard error on a terminal writes to it.
    private func screen(_ environment: [String: String] = [:]) throws -> String {
        let terminal = posix_openpt(O_RDWR | O_NOCTTY)
        try #require(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0)
        let name = unsafe ptsname(terminal).map { unsafe String(cString: $0) } ?? ""
        let side = open(name, O_RDWR | O_NOCTTY)
        try #require(side >= 0)
        let handle = FileHandle(fileDescriptor: side, closeOnDealloc: true)
        let all = ["TERM": "xterm"].merging(environment) { $1 }
        _ = try Program.run(["say=hello", "levels"], environment: all, stderr: handle)
        try handle.close()
        let reader = FileHandle(fileDescriptor: terminal, closeOnDealloc: true)
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = unsafe read(reader.fileDescriptor, &chunk, chunk.count)
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test
    func `a terminal gets colour and the local time`() throws {
        let screen = try screen()
        #expect(screen.contains("\u{1B}["))
        #expect(screen.contains("hello"))
        #expect(screen.contains("\u{1B}[0m"))
    }

    @Test(arguments: [
        ["NO_COLOR": "1"], ["WINNOW_COLOR": "never"], ["TERM": "dumb"],
        ["WINNOW_COLOR": "never", "FORCE_COLOR": "1"], ["CLICOLOR_FORCE": "1", "NO_COLOR": "1"],
    ])
    func `a terminal gets no colour where it is not wanted`(_ environment: [String: String]) throws {
        let screen = try screen(environment)
        #expect(!screen.contains("\u{1B}"))
        #expect(screen.contains("hello"))
    }

    @Test(arguments: [
        ["FORCE_COLOR": "1"], ["CLICOLOR_FORCE": "1"], ["WINNOW_COLOR": "always"],
        ["FORCE_COLOR": "1", "NO_COLOR": "1"], ["WINNOW_COLOR": "always", "NO_COLOR": "1"],
    ])
    func `a pipe gets colour where it is asked for`(_ environment: [String: String]) throws {
        #expect(try Program.run(["say=x"], environment: environment).stderr.contains("\u{1B}["))
    }

    @Test
    func `an empty NO_COLOR means nothing`() throws {
        #expect(try screen(["NO_COLOR": ""]).contains("\u{1B}["))
    }
}
