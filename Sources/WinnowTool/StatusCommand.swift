// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WinnowInspection

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

            With --watch, a terminal shows as many lines as it has; a pipe or a file gets all, each time.

            EXIT STATUS:
              0   the process was looked at
              2   it cannot be, or has ended: the reason is on standard error
              64  the arguments are wrong
            """
    )

    /// How long a process has to show its accounts as they are: less while it is asked again and again.
    private var patience: Duration { watch ? .milliseconds(200) : .seconds(2) }

    @OptionGroup var target: TargetArgument

    @Flag(help: "Shows it anew each second, until the process ends or you press Ctrl-C.")
    var watch = false

    @Option(help: "How it is written.")
    var format = OutputFormat.text

    func run() throws {
        try show()
        while watch {
            Screen.wait()
            try show()
        }
    }

    private func show() throws {
        let programs = try target.programs.map { program in
            try target.complaining { () throws(InspectionProblem) in
                try program.refreshed(patience: patience)
            }
        }
        let text = programs.map(\.text).joined(separator: "\n")
        let separator = watch ? "\n" : ""
        let screen = watch ? Screen.current : nil
        try format.write(text: screen?.showing(text) ?? text + separator, json: programs.json)
    }
}
