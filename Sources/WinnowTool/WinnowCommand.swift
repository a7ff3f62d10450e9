// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WinnowCore
import WinnowInspection

/// The command-line tool of Winnow.
@main
struct WinnowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "winnow",
        abstract:
            "Lists, shows and turns programs that log with Winnow, and checks what they leave.",
        subcommands: [
            StrippedCommand.self, VerifyCommand.self, ProcessesCommand.self, StatusCommand.self,
            StatementsCommand.self, SetCommand.self, ResetCommand.self, ReopenCommand.self,
            FlushCommand.self, RecoverCommand.self,
        ]
    )

    /// Runs the command that the first word names.
    ///
    /// Of a word that names none ArgumentParser would only say how many arguments it did not expect.
    static func main() {
        if let word = CommandLine.arguments.dropFirst().first, !word.hasPrefix("-") {
            let names = configuration.subcommands.compactMap { $0.configuration.commandName }
            if !names.contains(word), word != "help" {
                let nearest = Suggestion.nearest(to: word, among: names)
                let suggestion = nearest.map { "; did you mean \($0)?" } ?? ""
                end(by: ValidationError("there is no command '\(word)'\(suggestion)"))
            }
        }
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch {
            end(by: error)
        }
    }

    /// Ends the tool as ArgumentParser does, but for what an argument that it quotes would do to a
    /// terminal.
    private static func end(by error: any Error) -> Never {
        let status = exitCode(for: error)
        let stream: StandardStream = status.isSuccess ? .output : .error
        let message = fullMessage(for: error)
        if !message.isEmpty { stream.write("\(escapingLines(of: message))\n") }
        exit(withError: status)
    }
}
