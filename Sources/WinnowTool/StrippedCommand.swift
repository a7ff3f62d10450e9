// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WinnowInspection

/// Lists the log statements that a program still contains.
struct StrippedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stripped",
        abstract: "Lists the log statements that a program still contains.",
        discussion: """
            Every program that logs with Winnow carries a table of its log statements. A statement \
            below the compile-time floor is not compiled, and then it is not in the table either; \
            strip(1) does not touch the table. Give a release build: without optimization the \
            compiler knows neither level nor place nor text of a statement.

            EXAMPLE:
              $ swift build -c release
              $ winnow stripped .build/release/App --expect notice
              error   App/main.swift:12   "cannot open \\(…)"
              notice  App/main.swift:20   "listening on \\(…)"  (2 copies)

              2 statements: 1 error, 1 notice; the least severe is notice
              expected nothing below notice: holds

            The shared libraries that the program needs are read with it, where it says in which folder \
            they are: its run path. Libraries that it loads while it runs are not.

            Copies come from inlining, specialization of generics and unrolling of loops. A level \
            that is known only at run time is listed as "up to" the floor of its module.

            EXIT STATUS:
              0   the list is complete, and the program is as expected
              1   a statement is less severe than expected
              2   it cannot be told: no program, none with Winnow, not optimized
              64  the arguments are wrong
            """
    )

    @Argument(
        help: "The ELF program or shared library to read.",
        completion: .file()
    )
    var program: String

    @Option(
        help: ArgumentHelp(
            "Fail where a statement is less severe than this level: emergency, alert, critical, "
                + "error, warning, notice, info, debug, another spelling that WINNOW_LOG takes, "
                + "or none for no statement at all.",
            valueName: "level"
        ),
        transform: parseExpectation
    )
    var expect: Expectation?

    @Option(help: "How the list is written.")
    var format = OutputFormat.text

    func run() throws {
        let report: StatementReport
        do throws(InspectionProblem) {
            let linked = try LinkedProgram(path: program)
            report = StatementReport(
                program: program,
                libraries: linked.libraries,
                table: linked.table,
                expectation: expect
            )
        } catch {
            StandardStream.complain(of: program, error.text)
            throw ExitCode(2)
        }
        try format.write(text: report.text, json: report.json)
        switch report.verdict {
        case .holds: return
        case .fails: throw ExitCode(1)
        case .unknown: throw ExitCode(2)
        }
    }
}

/// Returns what a word of the command line expects of a program.
@Sendable
private func parseExpectation(_ text: String) throws -> Expectation {
    if let expectation = Expectation(parsing: text) { return expectation }
    let suggestion = Expectation.suggestion(for: text).map { "; did you mean \($0)?" } ?? ""
    throw ValidationError(
        "give emergency, alert, critical, error, warning, notice, info, debug or none" + suggestion
    )
}
