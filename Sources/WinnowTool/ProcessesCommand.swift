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

/// Shows what one process, or several of one name, log.
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows the levels and the accounts of a process that logs with Winnow.",
        discussion: """
            EXAMPLE:
              $ winnow status myapp
              process 30487, myapp, run aec8a575, since 2026-11-27T10:59:27.131906Z, floor debug
              filter notice,net=debug

              records accepted: 812, as of 2026-11-27T11:09:31.627109Z

              SINK      LEVELS  ACCEPTED  DELIVERED  QUEUED  LOST  STATE
              journald  debug   812       812        0       0     takes records

              LEVELS  CATEGORY
              notice  (none)
              debug   net

            EXIT STATUS:
              0   the process was looked at
              2   it cannot be: the reason is on standard error
              64  the arguments are wrong
            """
    )

    /// How long a process has to show its accounts as they are: as long as nobody notices.
    private static let patience = Duration.milliseconds(200)

    @Argument(
        help: "A process: its number, the name of its program in the log, or its unit of systemd."
    )
    var target: String

    @Option(help: "How it is written.")
    var format = OutputFormat.text

    func run() throws {
        var programs: [RunningProgram] = []
        do throws(InspectionProblem) {
            for program in try RunningProgram.all(named: target) {
                programs.append(try program.refreshed(patience: Self.patience))
            }
        } catch {
            StandardStream.complain(of: target, error.text)
            throw ExitCode(2)
        }
        try format.write(
            text: programs.map(\.text).joined(separator: "\n"),
            json: programs.json
        )
    }
}
