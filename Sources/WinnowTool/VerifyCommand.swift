// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WinnowInspection
import WinnowStore

/// Says whether records of a log were lost without a report.
struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Says whether records of a log were lost without a report.",
        discussion: """
            Every record has a number among those of its level, from 1 in each run of a program, and \
            what a sink loses it reports with the numbers of records by level. So of each level as \
            many numbers are missing as the reports say, or records were lost in silence. Give one \
            sink's log, as JSON lines or from the journal; several files, such as those that \
            logrotate made, are one log, in any order. A fallback holds only what its sink could \
            not take: where both are files, give them together.

            EXAMPLE:
              $ winnow verify app.log.1 app.log
              run 9f3c01aa, process 812, sequence 1–103, 2026-11-21T09:30:15.123456Z to
                2026-11-21T09:31:02.000417Z
                level   records  numbers  reported lost  missing without a report
                error         3      1–3              0                         0
                notice       96    1–100              2                         2
                notice: of these missing numbers reports explain all but 2: 41, 57–59

              1 run, 99 records: FAILS: 2 numbers are missing without a report

            Where the log begins behind number 1 of a level, it is taken for one whose beginning was \
            rotated away, and where it ends, for one of a program that goes on or was killed. A \
            thread takes a record's number and then writes it, and others may overtake it between \
            the two. So a number that is missing at the beginning may stand before the log, as long \
            as each thread has but one record there; one at the end may have been on its way, where \
            a thread that was logging has written nothing since. These are told, and are no fault. \
            With --complete they are: give it for the whole log of programs that have ended.

            The verdict holds up to the last record, and says its number among all of the run, its \
            sequence. What would stand behind it, or behind the last record of a level, no log can tell.

            journald takes the messages of a unit that are more than its rate limit allows, and does not \
            store them. What it says of that with the next message of the unit and of the level is read \
            with the journal, and told; whose messages they were it does not say, so the log is not approved. \
            Before that message comes, nothing tells of those behind the last one stored, nor after it \
            if another unit was the first to log after the limit's interval.

            EXIT STATUS:
              0   what is missing was reported, level by level
              1   numbers are missing that no report explains, or stand for two records, or journald
                  suppressed messages of the unit
              2   it cannot be told: a file cannot be read, or holds no numbered record
              64  the arguments are wrong
            """
    )

    @Argument(
        help: ArgumentHelp(
            "The files of the log, in JSON lines, compressed by gzip or not; - is standard input.",
            valueName: "path"
        ),
        completion: .file()
    )
    var paths: [String] = []

    @Flag(help: "Read the journal instead of files.")
    var journal = false

    @Option(
        help: ArgumentHelp(
            "The program's name in the journal: SYSLOG_IDENTIFIER.",
            valueName: "name"
        )
    )
    var identifier: String?

    @Option(
        help: ArgumentHelp(
            "The boots of the machine to read of the journal: current, all, or the identity of one, "
                + "as journalctl --list-boots shows it.",
            valueName: "boot"
        ),
        transform: Boot.init(parsing:)
    )
    var boot: Boot = .current

    @Flag(
        help: ArgumentHelp(
            "Demand that the log holds each run from number 1 of each level on, and that nothing was "
                + "on its way when it ends."
        )
    )
    var complete = false

    @Option(help: "How the report is written.")
    var format = OutputFormat.text

    func validate() throws {
        if journal {
            guard paths.isEmpty else { throw ValidationError("give files or --journal, not both") }
            guard identifier != nil else {
                throw ValidationError("--journal needs --identifier, the name of the program")
            }
        } else if paths.isEmpty {
            throw ValidationError("give the files of a log, - for standard input, or --journal")
        } else if identifier != nil {
            throw ValidationError("--identifier is for --journal")
        }
    }

    func run() throws {
        let ledger = try readLog()
        try requireRecords(in: ledger)
        let report = VerificationReport(ledger, isComplete: complete)
        try format.write(text: report.text, json: report.json)
        if !report.holds { throw ExitCode(1) }
    }

    /// Complains of each file that holds no numbered record, beside others that do too: whatever it
    /// is, it is not read as what it was given for.
    private func requireRecords(in ledger: Ledger) throws {
        let advice =
            journal
            ? "give the identifier and the boot of a program that logs with Winnow"
            : "give JSON lines, which Winnow writes with WINNOW_FORMAT=json"
        let sources = ledger.isEmpty ? ledger.sources : ledger.sources.filter(\.isUnverifiable)
        for source in sources {
            StandardStream.complain(
                of: source.name,
                "holds no record with a number of its level: \(advice)"
            )
        }
        if !sources.isEmpty { throw ExitCode(2) }
    }

    private func readLog() throws -> Ledger {
        var ledger = Ledger()
        if journal, let identifier {
            do throws(LogStoreError) {
                try ledger.addJournal(identifier: identifier, boot: boot)
            } catch {
                StandardStream.complain(of: "the journal", error.description)
                throw ExitCode(2)
            }
        }
        for path in paths {
            do throws(InspectionProblem) {
                try ledger.add(LineSource(path: path), named: path)
            } catch {
                StandardStream.complain(of: path, error.text)
                throw ExitCode(2)
            }
        }
        return ledger
    }
}
