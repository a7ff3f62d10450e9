// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WinnowInspection

/// Which processes a command is for.
struct TargetArgument: ParsableArguments {
    @Argument(
        help: "A process: its number, the name of its program in the log, or its unit of systemd.",
        completion: .custom { _, _, _ in Self.words }
    )
    var target: String

    /// What may be written for the processes that may be looked at.
    private static var words: [String] {
        let programs = RunningProgram.all { _, _ in }
        let words = programs.flatMap {
            ["\($0.processID)", $0.page.identifier] + ($0.unit.map { [$0] } ?? [])
        }
        return Set(words).sorted()
    }

    /// The processes.
    ///
    /// - Throws: Exit status 2 if there is none, or the one cannot be looked at, which it complains of.
    var programs: [RunningProgram] {
        get throws {
            try complaining { () throws(InspectionProblem) in try RunningProgram.all(named: target)
            }
        }
    }

    /// Returns what the body returns.
    ///
    /// - Throws: Exit status 2 if it throws a problem, which it complains of.
    func complaining<Result>(
        _ body: () throws(InspectionProblem) -> Result
    ) throws -> Result {
        do throws(InspectionProblem) {
            return try body()
        } catch {
            StandardStream.complain(of: target, error.text)
            throw ExitCode(2)
        }
    }
}
