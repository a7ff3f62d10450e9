// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The command-line tool of Winnow.
@main
struct WinnowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "winnow",
        abstract: "Looks into what Winnow leaves behind.",
        subcommands: [StrippedCommand.self, VerifyCommand.self]
    )
}
