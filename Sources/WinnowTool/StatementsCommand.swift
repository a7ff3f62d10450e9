// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WinnowInspection

/// Lists the log statements of a process, and which are on.
struct StatementsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "statements",
        abstract: "Lists the log statements of a process, and which would log now.",
        discussion: """
            The statements are those that `winnow stripped` finds in the program. "on for net" means: if the \
            statement logs under that category; its own is known only at run time.

            EXAMPLE:
              $ winnow statements myapp Net
              STATE       LEVEL   STATEMENT          MESSAGE
              on          notice  App/Net.swift:20   "listening on \\(…)"
              on for net  debug   App/Net.swift:44   "timeout after \\(…)"
              off         debug   App/Net.swift:71   "closed"

              process 30487, myapp: 3 statements, 2 of them on

            EXIT STATUS:
              0   the list is complete
              2   some process, or its program, cannot be looked at: the reason is on standard error
              64  the arguments are wrong
            """
    )

    @OptionGroup var target: TargetArgument

    @Argument(help: "Lists only statements with this in the place or in the message.")
    var query: String?

    @Option(help: "How the list is written.")
    var format = OutputFormat.text

    func run() throws {
        let lists = try target.programs.map { program in
            try target.complaining { () throws(InspectionProblem) in
                try StatementStates(of: program, matching: query)
            }
        }
        try format.write(text: lists.map(\.text).joined(separator: "\n"), json: lists.json)
    }
}
