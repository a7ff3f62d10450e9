// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WinnowInspection

/// Which processes a command is for.
struct TargetArgument: ParsableArguments {
    @Argument(
        help: "A process: its number, the name of its program in the log, or its unit of systemd.",
        completion: .custom { _, _, _ in
            // Shells expand the words: a name in which a process may have hidden a command is left out.
            RunningProgram.targets.filter(Self.isPlain).sorted()
        }
    )
    var target: String

    private static func isPlain(_ word: String) -> Bool {
        word.first != "-"
            && word.utf8.allSatisfy { byte in
                let scalar = Unicode.Scalar(byte)
                return scalar.isASCII && scalar.properties.isAlphabetic
                    || "0123456789._@+-".utf8.contains(byte)
            }
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
