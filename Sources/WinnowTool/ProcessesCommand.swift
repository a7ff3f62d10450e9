// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WinnowInspection

/// Lists the processes that show their logs.
struct ProcessesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ps",
        abstract: "Lists the processes that log with Winnow.",
        discussion: """
            A process that logs shows its levels and accounts to those who may look at it by \
            ptrace(2): processes of the same user, and root. WINNOW_CONTROL=off hides them.

            EXAMPLE:
              $ winnow ps
              PID    IDENTIFIER  LEVELS  SINKS  QUEUED  LOST  SINCE
              30487  myapp       notice  1      0       0     2026-11-27T10:59:27.131906Z

            EXIT STATUS:
              0   the list is complete, as far as the kernel lets you look
              2   some process cannot be read: the reason is on standard error
              64  the arguments are wrong
            """
    )

    @Option(help: "How the list is written.")
    var format = OutputFormat.text

    func run() throws {
        var isComplete = true
        let programs = RunningProgram.all { process, problem in
            StandardStream.complain(of: process, problem.text)
            isComplete = false
        }
        try format.write(text: programs.text, json: programs.json)
        if !isComplete { throw ExitCode(2) }
    }
}
