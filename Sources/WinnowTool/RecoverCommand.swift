// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Winnow
import WinnowCore
import WinnowInspection
import WinnowRecovery

/// Delivers what dead processes have left in a folder of recorders.
struct RecoverCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover",
        abstract: "Delivers the records that dead processes have left in a folder of recorders.",
        discussion: """
            A process with WINNOW_RECORDER=FOLDER leaves a file there if it is killed. The next start of the \
            program delivers what it holds; this command does where there will be none, or not soon. The \
            records have the time, the numbers, the process and the identifier that they had, and one field \
            more, recovered. A file is removed once all sinks have all of it. What lives is left alone, and so \
            is what another user's process has left.

            The sinks are written as in WINNOW_SINKS, whose value is not read here, nor that of any other \
            variable. If one takes nothing for ten seconds, the command ends, and the file stays with a note of \
            what each has got: the next call with the same sinks goes on behind that.

            EXAMPLE:
              $ winnow recover /run/myapp --list
              PID    IDENTIFIER  SINCE                        STATE   SIZE      DAMAGED  LEFT
              30487  myapp       2026-11-27T10:59:27.131906Z  dead    16777216  0        12 for journald
              31002  myapp       2026-11-27T11:02:41.800113Z  in use  16777216  unknown  unknown
              $ winnow recover /run/myapp --to journald
              recovered 12 records of process 30487 (myapp)

            Of what is left, "in rings" is what no sink has seen, "in doubt" what some may have, and "lost" what \
            had no room and was not reported yet.

            EXIT STATUS:
              0   nothing is left that could be recovered; with --list, all was read
              1   what was left is delivered, but for what was damaged
              2   some file stays, or cannot be read: the reason is on standard error
              64  the arguments are wrong
            """
    )

    @Argument(help: "The folder, as in WINNOW_RECORDER.", completion: .directory)
    var folder: String

    @Flag(help: "Only show what lies there.")
    var list = false

    @Option(
        help: ArgumentHelp(
            "Where the records go, as in WINNOW_SINKS: journald, 'file:/var/log/app.log?format=json'; "
                + "stdout unless told.",
            valueName: "sinks"
        )
    )
    var to: String?

    @Option(
        help: ArgumentHelp(
            "Only the files of programs with this name in the log.",
            valueName: "name"
        )
    )
    var identifier: String?

    @Option(help: "How the list is written.")
    var format = OutputFormat.text

    func validate() throws {
        if list, to != nil { throw ValidationError("--list delivers nothing: leave out --to") }
        if !list, format == .json {
            throw ValidationError("--format is for --list: give --to 'stdout?format=json'")
        }
        _ = try routes
    }

    /// Where the records go.
    var routes: [Winnow.Route] {
        get throws {
            guard let to else { return [.stdout()] }
            do throws(Winnow.ConfigurationError) {
                return try Winnow.Route.list(parsing: to, of: "--to")
            } catch {
                throw ValidationError(error.description)
            }
        }
    }

    func run() throws {
        let opened: RecorderFolder
        do throws(DeadFile.Refusal) {
            opened = try RecorderFolder(folder)
        } catch {
            StandardStream.complain(of: folder, "cannot be opened: \(error.reason)")
            throw ExitCode(2)
        }
        if list { return try show(opened) }
        var recovery = FolderRecovery(of: opened, to: try routes)
        recovery.run(for: identifier)
        if recovery.status > 0 { throw ExitCode(recovery.status) }
    }

    private func show(_ folder: RecorderFolder) throws {
        var status: Int32 = 0
        let files = folder.names.compactMap { name -> LeftFile? in
            let sight = folder.look(at: name)
            guard sight.state != .gone, identifier.map(sight.mayBe) ?? true else { return nil }
            let file = LeftFile(sight)
            if let problem = file.problem {
                StandardStream.complain(of: "\(self.folder)/\(name)", problem)
                if !file.isHarmless { status = 2 }
            }
            return file
        }
        try format.write(text: files.text, json: files.json)
        if status > 0 { throw ExitCode(status) }
    }
}

extension DeadFile.Refusal {
    /// What is the matter, in words.
    var reason: String {
        switch self {
        case .inUse: "it is in use"
        case .foreign: "it belongs to another user"
        case .gone: "it has been removed"
        case .unfinished: "its process has not logged yet, or died before it had"
        case .unreadable: "it is no file of a recorder"
        case .failed(let error): systemErrorText(error)
        }
    }
}
