// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// What a person sees in a terminal, which is a real pseudo-terminal here.
struct TerminalTests {
    /// What a program in a terminal writes to it, whose streams the shell leads on as told; script(1) makes
    /// the terminal.
    private func screen(
        _ environment: [String: String] = [:],
        _ end: String = ""
    ) throws -> String {
        try Program.run(
            ["-qec", "'\(Program.path)' say=hello levels no-status \(end)", "/dev/null"],
            environment: ["TERM": "xterm"].merging(environment) { $1 },
            executable: "/usr/bin/script"
        ).stdout
    }

    @Test
    func `a terminal gets color and the local time`() throws {
        let screen = try screen()
        #expect(screen.contains("\u{1B}["))
        #expect(screen.contains("hello"))
        #expect(screen.contains("\u{1B}[0m"))
    }

    @Test(arguments: [
        ["NO_COLOR": "1"], ["WINNOW_COLOR": "never"], ["TERM": "dumb"],
        ["WINNOW_COLOR": "never", "FORCE_COLOR": "1"], ["CLICOLOR_FORCE": "1", "NO_COLOR": "1"],
    ])
    func `a terminal gets no color where it is not wanted`(_ environment: [String: String]) throws {
        let screen = try screen(environment)
        #expect(!screen.contains("\u{1B}"))
        #expect(screen.contains("hello"))
    }

    @Test(arguments: [
        ["FORCE_COLOR": "1"], ["CLICOLOR_FORCE": "1"], ["WINNOW_COLOR": "always"],
        ["FORCE_COLOR": "1", "NO_COLOR": "1"], ["WINNOW_COLOR": "always", "NO_COLOR": "1"],
    ])
    func `a pipe gets color where it is asked for`(_ environment: [String: String]) throws {
        #expect(try Program.run(["say=x"], environment: environment).stderr.contains("\u{1B}["))
    }

    @Test(arguments: [
        ("stdout", "2>/dev/null", true), ("stdout", "| cat", false),
        ("stderr", ">/dev/null", true), ("stderr", "2>&1 >/dev/null | cat", false),
    ])
    func `each stream gets color where it is a terminal itself`(
        sink: String,
        end: String,
        isColored: Bool
    ) throws {
        let screen = try screen(["WINNOW_SINKS": sink], end)
        #expect(screen.contains("\u{1B}[") == isColored)
        #expect(screen.contains("hello"))
    }

    @Test
    func `an empty NO_COLOR means nothing`() throws {
        #expect(try screen(["NO_COLOR": ""]).contains("\u{1B}["))
    }
}
